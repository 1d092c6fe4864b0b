"""Everything between a call of a tool and the server that answers it. Pure: no Django, no environment, no settings.

    GatedToolSource (gate)          policy, risk, approval; the decision is journaled
      McpToolSource (source)        one journaled effect per round; results checked, bounded, masked
        Pool (pool)                 one owner task per connection, shared by all calls with the same key
          connected (connection)    negotiates, lists, hears of changes
            stdio | http            our transports: what is hostile stops here
              processes, net        whole process groups; the guarded client

`types` first to be read, then `gate`. `testing` holds the in-memory twins, `connection_test` says why a server cannot
be reached, `loop` is the one event loop in which all of this lives. A source refuses calls that did not come through
the gate, so nodes and agents can be given nothing else.
"""
