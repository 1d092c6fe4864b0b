"""OpenTelemetry: what the log of runs says, as traces, metrics and logs for a collector.

Above `runs`, as a mapping of its log: spans are made of lines that were committed, so none tells of what did not
happen, and their ids follow from the run's (`net.traces`), so any process goes on with a trace. Nothing of it is
imported where no endpoint is named (`OTEL_EXPORTER_OTLP_ENDPOINT`). `starting` begins and ends it; what a collector
does or does not do never reaches a run: queues are bounded, and only threads of this room wait.
"""
