"""HTTP APIs as tools: an OpenAPI document becomes a server whose tools are its operations.

    document -> operations (schemas, arguments) -> a request -> its answer as a tool's

Everything but `source` is pure: values go in, values come out. What is read is hostile: nothing that a document refers
to is fetched, its schemas are bounded, and a request goes to the server's own address whatever the document names.
"""
