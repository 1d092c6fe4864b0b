"""Runs workflows: pure, durable, one writer. No Django, no wall clock, no network: the world comes in by `ports`.

    document --validate--> problems
             --compile---> Compiled --Segment(history, journal, services, clock).run()--> SegmentEnd

Read `ports.py` (what the engine needs of the world), then `types.py` (what a node type is), then:

    expressions, filters   the language of `{{ node.path | filter }}`
    graph, frames          a document as typed values, and the shape of its graph
    validate, problems     everything that is wrong with it
    compile, schedule      what runs, and which node may run next
    replay, retry          what a history says, whether a failed step is tried again
    segment_state          what the steps of a segment stand on: their lines, waits and what stops them
    scheduler, step_runner, segment   which node runs next, one step, the whole for its owner
    context                what a node's `run` reaches the world through: effects, questions, timers
    rerun, dry_replay      what a retry or fork reuses of a run; a run replayed offline, as a test
    testing                a journal that crashes, a clock that turns itself, tools by script

Promises kept here: a step's events come once and in order, an effect whose end is on disk never runs again, a write
whose outcome is unknown is a person's decision, and a crash after any record changes nothing else.
"""
