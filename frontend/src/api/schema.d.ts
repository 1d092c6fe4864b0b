/** Types of the API, generated from its OpenAPI document by `npm run apigen`. Not to be edited. */

export interface paths {
    "/api/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Deeds, newest first: who, what, on what, when, before and after. */
        get: operations["audit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/audit/chain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description How far the chain of the team's actions was verified. `manage.py audit_verify` does it at once. */
        get: operations["audit_chain"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/audit/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * @description All rows that the filters leave, newest first, as CSV or as lines of JSON. The export is noted itself.
         *
         *     With `after` and `format=jsonl` instead: all that have their place in the chain, in its order, unfiltered.
         */
        get: operations["audit_export"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/collections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description List the collections, newest first. */
        get: operations["collections_list"];
        put?: never;
        /** @description Make an empty collection, with an address of its own. 409 where the slug is taken. */
        post: operations["collections_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/collections/{key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Show a collection with what is in it and its latest calls. */
        get: operations["collections_get"];
        put?: never;
        post?: never;
        /** @description Delete a collection and end its tokens; the runs of its tools stay. */
        delete: operations["collections_delete"];
        options?: never;
        head?: never;
        /** @description Rename, describe, switch on or off, or move it to another address. */
        patch: operations["collections_update"];
        trace?: never;
    };
    "/api/collections/{key}/contents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description Put in a resource, a template or a prompt. Asks the server for its list. 409 where another has the name. */
        post: operations["collections_content_add"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/collections/{key}/contents/{content}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** @description Take it out; its readings stay among the runs. */
        delete: operations["collections_content_remove"];
        options?: never;
        head?: never;
        /** @description Change the name and description that clients see. */
        patch: operations["collections_content_edit"];
        trace?: never;
    };
    "/api/collections/{key}/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description One's own tokens of the collection, for admins all of them, without their text. */
        get: operations["collections_tokens"];
        put?: never;
        /** @description Make a token that opens this collection and nothing else; its text is in this answer and never again. */
        post: operations["collections_token_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/collections/{key}/tools": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description Put in a tool of a server or a published workflow. 409 where another has the name. */
        post: operations["collections_add"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/collections/{key}/tools/{entry}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** @description Take it out; what it did stays among the runs. */
        delete: operations["collections_remove"];
        options?: never;
        head?: never;
        /** @description Change the name and description that clients see; the original stays as it is pinned. */
        patch: operations["collections_edit"];
        trace?: never;
    };
    "/api/conversations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Your conversations, the latest first. */
        get: operations["conversations_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/conversations/{key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The conversation with the last turns of those that are shown. */
        get: operations["conversations_get"];
        put?: never;
        post?: never;
        /** @description Delete it with its runs. 409 while one of them goes on. */
        delete: operations["conversations_delete"];
        options?: never;
        head?: never;
        /** @description Give it another title, or show another version of a message. */
        patch: operations["conversations_update"];
        trace?: never;
    };
    "/api/conversations/{key}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description All of it as JSON, with every version of every message. */
        get: operations["conversations_export"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/files": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description Keep one file. */
        post: operations["file_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/files/{key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The bytes. Images and sound keep their type; all else is a download. */
        get: operations["file"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/graph-schema": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The JSON Schema that documents follow. */
        get: operations["graph_schema"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description 200 `{status: "ok"}` once web and worker take work, else 503. */
        get: operations["health"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/interactions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Questions, newest first. */
        get: operations["interactions_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/interactions/{key}/answer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * @description Answer once; 409 ALREADY_ANSWERED for the second, 400 leaves the question open.
         *
         *     Where two people must approve, the first yes leaves it open too and stands in `approval.given`. 403
         *     APPROVAL_NEEDS_OTHERS where others must approve: for whoever started the run, and for one person's second yes.
         *
         *     A token with the scope "answer" answers forms, missing parameters and what servers ask; the rest is for people
         *     who are signed in.
         */
        post: operations["interactions_answer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/interactions/answers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description Answer each of the questions, or say why not; one that cannot be answered holds up no other. */
        post: operations["interactions_answers"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/interactions/groups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Open questions of the kind recovery that belong together, by what was called; at most 2,000 questions. */
        get: operations["interactions_groups"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/invitations/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description Become a member: as who is signed in, else as a new person, who is signed in by it. */
        post: operations["invitation_accept"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/invitations/look": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description What the invitation is for. Looking does not use it. */
        post: operations["invitation_look"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/mcp/declarations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description List declarations, newest first. */
        get: operations["declarations_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/mcp/declarations/{digest}/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description Approve exactly this configuration. Of an agent, the card is read then. */
        post: operations["declarations_approve"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/mcp/declarations/{digest}/card": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The card as it was read last, with the agent's skills. Connects to nothing. */
        get: operations["declarations_card"];
        put?: never;
        /** @description Read the card of an approved agent now. Skills that changed wait to be accepted. */
        post: operations["declarations_card_read"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/mcp/declarations/{digest}/card/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description Accept the skills as the card lists them now. */
        post: operations["declarations_card_accept"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/mcp/declarations/{digest}/package/look": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description Ask the registry of packages for a newer version. Changes nothing of what is started. */
        post: operations["declarations_package_look"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/mcp/declarations/{digest}/package/update": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description Install the version that is offered and start it from now on. What was approved of the document stays. */
        post: operations["declarations_package_update"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/mcp/declarations/{digest}/reject": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description Reject this configuration, also one that was approved before. */
        post: operations["declarations_reject"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/mcp/find": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description Search an MCP registry. Connects to it, and to nothing that it lists. */
        post: operations["servers_find"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/mcp/modelscope/deployed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description List your deployed servers by your access token, which is kept nowhere; add those in `only`. */
        post: operations["modelscope_deployed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/mcp/modelscope/find": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description Search ModelScope's public list. Connects to it, and to nothing that it lists. */
        post: operations["modelscope_find"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/mcp/modelscope/read": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description Read how a server of ModelScope's list is run. Connects to ModelScope alone. */
        post: operations["modelscope_read"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/mcp/openapi": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description What a document describes: addresses, ways to sign in, operations, and what is left out. Keeps nothing. */
        post: operations["servers_api_read"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/mcp/presets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description List presets. */
        get: operations["presets_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/mcp/servers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description List servers, newest first or by name. */
        get: operations["servers_list"];
        put?: never;
        /** @description Register a server. Connects to nothing. */
        post: operations["servers_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/mcp/servers/{server}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Show a server. */
        get: operations["servers_get"];
        put?: never;
        post?: never;
        /** @description Delete a server. */
        delete: operations["servers_delete"];
        options?: never;
        head?: never;
        /** @description Change a server. Secrets given for another address or program are dropped unless given again. */
        patch: operations["servers_update"];
        trace?: never;
    };
    "/api/mcp/servers/{server}/calls": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Calls of the team's runs, errors and latency: of a day by the hour, or of a month by the day. */
        get: operations["servers_calls"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/mcp/servers/{server}/complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description What the server would write there; nothing where it completes nothing. */
        post: operations["servers_complete"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/mcp/servers/{server}/contents/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * @description Accept one as it was last listed, or all of a kind: for the team, or where members use their own
         *     credentials, for oneself.
         */
        post: operations["servers_contents_accept"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/mcp/servers/{server}/credentials": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Which secrets you enter for yourself, and whether they are set. */
        get: operations["servers_own"];
        put?: never;
        post?: never;
        /** @description Delete your own. Your connections end at once. */
        delete: operations["servers_own_delete"];
        options?: never;
        head?: never;
        /** @description Enter your own. Absent is unchanged, null or empty removes. Connections with what was there before end. */
        patch: operations["servers_own_enter"];
        trace?: never;
    };
    "/api/mcp/servers/{server}/grants": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The permanent approvals for its tools, newest first: in which workflow, by whom, whether they still hold. */
        get: operations["servers_grants"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/mcp/servers/{server}/grants/{grant}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** @description Take it back: the next call that it covered asks again. */
        delete: operations["servers_grants_delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/mcp/servers/{server}/grants/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description All permanent approvals for its tools as lines of JSON, newest first, as in the list. */
        get: operations["servers_grants_export"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/mcp/servers/{server}/modelscope": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description Look up the server's address again by your access token, which is kept nowhere. */
        post: operations["servers_modelscope"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/mcp/servers/{server}/package/look": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description Ask the registry of packages for a newer version. Changes nothing of what is started. */
        post: operations["servers_package_look"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/mcp/servers/{server}/package/update": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description Install the version that is offered and start it from now on. Grants for the server's tools end. */
        post: operations["servers_package_update"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/mcp/servers/{server}/prompts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description List prompts. Connects, unless the server allowed what it said to be kept. */
        get: operations["servers_prompts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/mcp/servers/{server}/prompts/get": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description Fill it. */
        post: operations["servers_prompt_get"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/mcp/servers/{server}/resources": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description List resources and templates. Connects, unless the server allowed what it said to be kept. */
        get: operations["servers_resources"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/mcp/servers/{server}/resources/read": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description Read it. The server is only asked for what it lists or a template of its makes. */
        post: operations["servers_resource_read"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/mcp/servers/{server}/sign-in": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description How it stands; the requests of the flow for those who may sign in. */
        get: operations["servers_sign_in"];
        put?: never;
        /** @description Have Patchbay fetch a token with its own credentials, now. Runs that wait for it go on. */
        post: operations["servers_sign_in_fetch"];
        /** @description Forget the tokens. Connections with them end at once; the authorization server is told. */
        delete: operations["servers_sign_out"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/mcp/servers/{server}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description Connect once and say how far it went, stage by stage. */
        post: operations["servers_test"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/mcp/servers/{server}/tool-names": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description All tools as last listed, without their schemas. */
        get: operations["servers_tool_names"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/mcp/servers/{server}/tools": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The tools as last listed. */
        get: operations["servers_tools"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** @description Set the policy of all tools that read, that write or that are of high risk, in one step. */
        patch: operations["servers_tools_update"];
        trace?: never;
    };
    "/api/mcp/servers/{server}/tools/{tool}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description One tool as last listed. */
        get: operations["tools_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** @description Set policy, risk or effect; null = by the rules. */
        patch: operations["tools_update"];
        trace?: never;
    };
    "/api/mcp/servers/{server}/tools/{tool}/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description Accept the definition that the server lists now. */
        post: operations["tools_accept"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/mcp/servers/{server}/workflows": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description List the workflows whose drafts name the server. */
        get: operations["servers_workflows"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/mcp/servers/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description Create servers from pasted JSON. Connects to nothing. */
        post: operations["servers_import"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/mcp/servers/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description Connect once with what is sent; `server` names a saved one that it is laid over. */
        post: operations["servers_test_unsaved"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/mcp/sign-in/begin": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description Find out where to sign in; send the browser to `url`. Good for ten minutes, once, in this browser. */
        post: operations["servers_sign_in_begin"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/mcp/sign-in/return": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description What the authorization server put into the address: the code is taken for tokens, once. */
        post: operations["servers_sign_in_return"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/mcp/tool-names": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description All tools of these servers as last listed, without their schemas. */
        get: operations["tool_names"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/mcp/tools/call": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description Call a tool through the gate; 409 APPROVAL_REQUIRED with the risk where it would ask, unless `confirm`. */
        post: operations["tools_call"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The person signed in, the team acted in, all teams. */
        get: operations["me"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** @description Change language, theme, name, auto_execute. */
        patch: operations["me_update"];
        trace?: never;
    };
    "/api/me/end": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description What becomes of one's teams. */
        get: operations["me_end_preview"];
        put?: never;
        /** @description Delete one's account for good. 409 where a team would be without an owner. */
        post: operations["me_end"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/me/passkeys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The oldest first. */
        get: operations["passkeys"];
        put?: never;
        /** @description Keep the passkey that the browser made; recovery codes come with the first factor. */
        post: operations["passkey_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/me/passkeys/{key}/remove": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description It signs nobody in any more. */
        post: operations["passkey_remove"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/me/passkeys/begin": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description What the browser needs to make one. Nothing is kept until it is sent. */
        post: operations["passkey_begin"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/me/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description Change the password, or set the first one. All other sessions end, and API tokens unless they are kept. */
        post: operations["me_password"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/me/security": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Whether there is a password and a second factor. */
        get: operations["me_security"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/me/servers-off": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description What you switched off for agents, planners and LLM nodes in runs that you start. */
        get: operations["servers_off"];
        /** @description Switch off exactly these, by id or slug. It holds for runs that begin from now on. */
        put: operations["servers_off_set"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/me/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description One's sessions: the present one, then last used first. */
        get: operations["me_sessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/me/sessions/{key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** @description End it; its pages close at once. */
        delete: operations["me_session_end"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/me/sessions/end": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description End all one's sessions but this one. Their pages close at once. */
        post: operations["me_sessions_end"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/me/two-factor/begin": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description A new secret for the authenticator app. Nothing is on until a code confirms it. */
        post: operations["two_factor_begin"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/me/two-factor/codes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description New recovery codes; the old ones stop working. */
        post: operations["two_factor_codes"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/me/two-factor/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description Switch it on with a code of the app; the recovery codes are in this answer and never again. */
        post: operations["two_factor_confirm"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/me/two-factor/off": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description Sign in with the password alone again. */
        post: operations["two_factor_off"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/node-types": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description List node types in the order of the palette, in the reader's language. */
        get: operations["node_types"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/oauth/ask": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Check the address that the client opened, and say who asks for what. */
        get: operations["client_ask"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/oauth/decide": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description Allow the client in a team, for some of what it asked for, or send it away. */
        post: operations["client_decide"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/allowed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description Allow a command, a host or loopback in the whole installation. Counts without a restart. */
        post: operations["operator_allow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/allowed/{key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** @description Take it back. Connections that are open end with the calls that go on. */
        delete: operations["operator_disallow"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/installation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Who the operators are, and what is allowed: by the environment, and what they added to it. */
        get: operations["operator_installation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/programs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description List programs that an operator was asked about, newest first. */
        get: operations["operator_programs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/programs/{key}/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description Approve exactly this configuration, for this team. */
        post: operations["operator_program_approve"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/programs/{key}/reject": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description Reject this configuration, also one that was approved before; what runs of it is ended. */
        post: operations["operator_program_reject"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/storage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Sizes and counts by team, without anything that a team keeps; at most half a minute old. */
        get: operations["operator_storage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/workers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Which workers are there, what they do in numbers, and how old their last heartbeat is. */
        get: operations["operator_workers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/provider-presets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description List presets. */
        get: operations["provider_presets_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/providers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description List providers, newest first or by name. */
        get: operations["providers_list"];
        put?: never;
        /** @description Add a provider. Connects to nothing. */
        post: operations["providers_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/providers/{provider}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Show a provider. */
        get: operations["providers_get"];
        put?: never;
        post?: never;
        /** @description Delete a provider. */
        delete: operations["providers_delete"];
        options?: never;
        head?: never;
        /** @description Change a provider. A key that was given for another origin is dropped unless given again. */
        patch: operations["providers_update"];
        trace?: never;
    };
    "/api/providers/{provider}/credentials": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Which secrets you enter for yourself, and whether they are set. */
        get: operations["providers_own"];
        put?: never;
        post?: never;
        /** @description Delete your own. Your connections end. */
        delete: operations["providers_own_delete"];
        options?: never;
        head?: never;
        /** @description Enter your own. Absent is unchanged, null or empty removes. Connections with what was there before end. */
        patch: operations["providers_own_enter"];
        trace?: never;
    };
    "/api/providers/{provider}/models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Ask the endpoint for its models. Connects. */
        get: operations["providers_models"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/providers/{provider}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description Talk to the endpoint once and say how far it went, stage by stage. Costs a few tokens. */
        post: operations["providers_test"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/providers/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description Talk once to what is sent; `provider` names a saved one that it is laid over. */
        post: operations["providers_test_unsaved"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/queue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description How long the queue is, where the team's runs stand in it, and which workers are there. */
        get: operations["queue"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description 200 when everything is there: database, its tables, room, a worker, in the scaled mode Redis; else 503. */
        get: operations["ready"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/restored-runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Runs that were restored from a backup and are paused, each with what it may have written since. */
        get: operations["restored_runs_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/restored-runs/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description Resume the named restored runs, or all; a run that goes on already is passed over. */
        post: operations["restored_runs_resume"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/run-callers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Names of tokens, clients and triggers as stored runs keep them, in order; `next` is the last one's. */
        get: operations["runs_callers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * @description The team's runs, newest first; large inputs and outputs as references.
         *
         *     Runs that other runs started are listed with `parent` or `workflow` only.
         */
        get: operations["runs_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * @description The run with its inputs and outputs in full, the snapshot of its graph and the latest runs that it started.
         *
         *     All runs that it started: `GET /api/runs?parent={id}`.
         */
        get: operations["runs_get"];
        put?: never;
        post?: never;
        /**
         * @description Delete an ended run with everything of it: log, questions, files, retries and forks, tests saved from it.
         *
         *     409 while it or a run made of it goes on, and for a run that another one started.
         */
        delete: operations["runs_delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{key}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description Cancel; 409 when the run has ended. */
        post: operations["runs_cancel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{key}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Events with `seq` above `after`, oldest first; put together from stored text, not parsed. */
        get: operations["runs_events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{key}/fork": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * @description Start a new run from a step, with other inputs (from the start) or another document (a token needs "edit").
         *
         *     409 where the run goes on.
         */
        post: operations["runs_fork"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{key}/keep": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * @description Make a workflow of the tool calls of a finished step, values from earlier results as expressions.
         *
         *     409 where the step has not ended or called no tool that a node can call.
         */
        post: operations["runs_keep"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{key}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description Pause: what is in flight ends, nothing new begins; 409 when the run has ended or is paused. */
        post: operations["runs_pause"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{key}/restored": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description What a restored run may have written since the backup; `restored_from` null for a run that goes on. */
        get: operations["runs_restored"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{key}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description Go on after a pause; 409 when the run has ended. */
        post: operations["runs_resume"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{key}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * @description Start a new run from the step that failed; steps that ended are taken over.
         *
         *     409 where the run goes on or nothing failed.
         */
        post: operations["runs_retry"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{key}/rounds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description One page of rounds in order, without what happened in them. */
        get: operations["runs_rounds"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/secrets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Names, hosts and hints. */
        get: operations["secrets"];
        put?: never;
        /** @description Keep a secret. */
        post: operations["secret_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/secrets/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** @description Delete the secret. */
        delete: operations["secret_delete"];
        options?: never;
        head?: never;
        /** @description Replace the value or the hosts. */
        patch: operations["secret_update"];
        trace?: never;
    };
    "/api/setup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description What the link is for. Looking does not consume it. */
        get: operations["setup"];
        put?: never;
        /** @description Consume the link and sign in; for the first owner it makes the account and the team. */
        post: operations["setup_use"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sign-in/passkey": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description Sign in whose passkey answered. */
        post: operations["passkey_sign_in"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sign-in/passkey/begin": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description What the browser needs to ask for one. */
        post: operations["passkey_sign_in_begin"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/spending": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description What is used of the team's budget today, and which models a cost budget cannot see. */
        get: operations["spending"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sso/callback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Sign in whom the provider vouches for; without that back to the sign-in page, which says why. */
        get: operations["sso_callback"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sso/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Send the browser to the identity provider. */
        get: operations["sso_start"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/teams": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description All teams one is a member of. */
        get: operations["teams"];
        put?: never;
        /** @description Make a team, of which one is the owner. 403 for who is neither owner nor admin anywhere. */
        post: operations["team_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/teams/current": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The team with its budget. */
        get: operations["team"];
        put?: never;
        post?: never;
        /** @description Delete the team and everything in it. */
        delete: operations["team_delete"];
        options?: never;
        head?: never;
        /** @description Rename the team; set what its models may use in a day (UTC), null takes a limit away. */
        patch: operations["team_update"];
        trace?: never;
    };
    "/api/teams/current/belongings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description How many tokens, private servers and providers one has, and how many runs of one's own are going. */
        get: operations["team_belongings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/teams/current/leave": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description End one's own membership. 409 for the last owner. */
        post: operations["team_leave"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/teams/current/transfer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description Make another member the owner; oneself becomes an admin. */
        post: operations["team_transfer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/teams/invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Invitations that nobody used, newest first, without their links. */
        get: operations["invitations"];
        put?: never;
        /** @description Make an invitation; its link is in this answer and never again. */
        post: operations["invitation_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/teams/invitations/{key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** @description Withdraw the invitation; its link stops working. */
        delete: operations["invitation_delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/teams/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Members, newest first. */
        get: operations["members"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/teams/members/{key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** @description Remove the member. Their tokens end, their pages close, their running work goes on. */
        delete: operations["member_remove"];
        options?: never;
        head?: never;
        /** @description Give the member another role. Admins decide on viewers and editors, owners on all. */
        patch: operations["member_update"];
        trace?: never;
    };
    "/api/teams/members/{key}/belongings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description What is decided about when the member is removed. */
        get: operations["member_belongings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Tokens, newest first, without their text. */
        get: operations["tokens"];
        put?: never;
        /** @description Make a token; its text is in this answer and never again. */
        post: operations["token_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tokens/{key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** @description End the token at once. */
        delete: operations["token_delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/triggers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description All triggers of the team, newest first, with a schedule's next times and what each did last. */
        get: operations["triggers_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/triggers/{key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The trigger. */
        get: operations["triggers_get"];
        put?: never;
        post?: never;
        /** @description Delete it with its deliveries; its runs stay. */
        delete: operations["triggers_delete"];
        options?: never;
        head?: never;
        /** @description Change it, or switch it on or off. Its runs go in the name of whoever switched it on or changed it last. */
        patch: operations["triggers_update"];
        trace?: never;
    };
    "/api/triggers/{key}/chat": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * @description Write a message: its run, in your name, begins when those before it in the conversation have ended.
         *
         *     The run names its `conversation`. 409 where the chat is off or the conversation is full.
         */
        post: operations["chat_write"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/triggers/{key}/conversations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Those of strangers and of members, the latest first, without what was said. None for other kinds. */
        get: operations["triggers_conversations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/triggers/{key}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Its deliveries, newest first, masked, with their runs. */
        get: operations["triggers_deliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/triggers/{key}/deliveries/{delivery}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description Start another run of the published version for what came then, under a new key. 409 where it is off. */
        post: operations["triggers_replay"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/triggers/{key}/deliveries/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * @description All its deliveries as lines of JSON, newest first: as in the list, and all that came, masked.
         *
         *     A text of what came ends after 100,000 characters.
         */
        get: operations["triggers_deliveries_export"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/triggers/{key}/page": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Its words and the inputs that it asks for. 409 where it is off, or opened by a secret link. */
        get: operations["pages_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/triggers/{key}/page/conversations/{talk}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Your messages and their answers, by the key that the conversation was begun with. */
        get: operations["pages_conversation"];
        put?: never;
        post?: never;
        /** @description Delete it with its runs. 409 while one of them goes on. */
        delete: operations["pages_conversation_delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/triggers/{key}/page/conversations/{talk}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description All your messages and their answers as JSON. */
        get: operations["pages_conversation_export"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/triggers/{key}/page/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * @description Start a run of the published version, in your name, for a form or a message.
         *
         *     429 beyond the page's runs a minute or what it may cost in a day; nothing is stored then.
         */
        post: operations["pages_send"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/triggers/{key}/page/runs/{visit}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description How it goes with what you sent, by the key that it was sent with. */
        get: operations["pages_visit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/triggers/{key}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description Replace the address; it is in this answer only, and the one before ends at once. 409 for other kinds. */
        post: operations["triggers_rotate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/triggers/{key}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description Run the draft, in your name, for a delivery, a request of your own, or a sample. */
        post: operations["triggers_test"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Sums by day, workflow, member, model or server: runs, tokens, cost, tool calls. */
        get: operations["usage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/usage/storage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Sizes and counts; at most half a minute old. */
        get: operations["usage_storage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workflow-templates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description List the templates and what each needs. */
        get: operations["workflow_templates_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workflows": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description List workflows, the last changed first, each with its newest run. */
        get: operations["workflows_list"];
        put?: never;
        /** @description Create a workflow at draft revision 1: empty, with a graph, or from a template. */
        post: operations["workflows_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workflows/{workflow}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Show a workflow with its draft. */
        get: operations["workflows_get"];
        put?: never;
        post?: never;
        /** @description Delete a workflow with its versions and runs; 409 while a run goes on. */
        delete: operations["workflows_delete"];
        options?: never;
        head?: never;
        /** @description Rename, describe, expose as a tool, demand that the saved tests pass before publishing. */
        patch: operations["workflows_update"];
        trace?: never;
    };
    "/api/workflows/{workflow}/agent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description How the workflow stands as an agent that speaks A2A, and the latest tasks that it was given. */
        get: operations["workflow_agent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workflows/{workflow}/agui": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Where front ends reach the workflow, and their latest calls. */
        get: operations["workflow_agui"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workflows/{workflow}/compare": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Compare two versions, or one with the draft. */
        get: operations["workflows_compare"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workflows/{workflow}/draft": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** @description Save the draft made on `revision`; 409 STALE_DRAFT where somebody saved in between. */
        put: operations["workflows_save_draft"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workflows/{workflow}/drafts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description List drafts, the present one first. */
        get: operations["workflows_drafts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workflows/{workflow}/drafts/{revision}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Show a draft that is kept. */
        get: operations["workflows_draft"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workflows/{workflow}/drafts/{revision}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description Make an earlier draft the present one, as a new revision. */
        post: operations["workflows_restore_draft"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workflows/{workflow}/duplicate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description Copy the draft into a new workflow. */
        post: operations["workflows_duplicate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workflows/{workflow}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Download the document: the same JSON value in both formats. */
        get: operations["workflows_export"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workflows/{workflow}/offer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description How the workflow stands in the lists of MCP clients, and its latest calls. */
        get: operations["workflow_offer"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workflows/{workflow}/publish": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * @description Make the draft the next version, or publish an earlier one again.
         *
         *     400 GRAPH_INVALID with its problems; 409 TESTS_FAILED where the workflow demands that its saved tests pass.
         */
        post: operations["workflows_publish"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workflows/{workflow}/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * @description Start a run. 202 at once; with `wait` 200 when it ended or asks a person, 202 when the time is over.
         *
         *     429 without a run where as many requests of this token wait as may wait at once.
         */
        post: operations["runs_start"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workflows/{workflow}/tests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The tests, newest first, each with its last result. */
        get: operations["workflow_tests_list"];
        put?: never;
        /**
         * @description Save a run as a test: what tools, models and people answered, and what each node gave.
         *
         *     409 where the run goes on or was cancelled.
         */
        post: operations["workflow_tests_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workflows/{workflow}/tests/{test}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** @description Delete the test. */
        delete: operations["workflow_tests_delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workflows/{workflow}/tests/{test}/run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description Play the test offline with the draft or a version; per node whether it gives the same. */
        post: operations["workflow_tests_run"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workflows/{workflow}/triggers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The triggers of one workflow, newest first. */
        get: operations["workflow_triggers_list"];
        put?: never;
        /**
         * @description Make a trigger; of a webhook the address is in this answer only. Webhooks are made by admins.
         *
         *     409 where the team has as many as it may have.
         */
        post: operations["triggers_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workflows/{workflow}/validate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description Check the graph sent, else the draft. Saves and connects to nothing. */
        post: operations["workflows_validate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workflows/{workflow}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description List versions, newest first. */
        get: operations["workflows_versions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workflows/{workflow}/versions/{number}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Show a version with its graph. */
        get: operations["workflows_version"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workflows/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * @description Create a workflow from JSON or YAML, of ours or of Dify, with a report line by line; connects to nothing.
         *
         *     Also the document itself as the whole body. With `dry_run` nothing is made and the report is the answer.
         */
        post: operations["workflows_import"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description Ending one's account: the e-mail typed, and the password. */
        AccountEndRequest: {
            /** @default  */
            password?: string;
            email: string;
        };
        /** @description What a retry or fork takes over, what it runs, and which writes will or may happen again (at most 200). */
        Again: {
            origin_run: string;
            origin_step: string | null;
            origin_node: string | null;
            kept: components["schemas"]["AgainStep"][];
            runs: components["schemas"]["RunsAgain"][];
            inside: components["schemas"]["GoesOn"][];
            below: components["schemas"]["Below"][];
            writes: components["schemas"]["Write"][];
            writes_total: number;
        };
        /** @description A step that is taken over. */
        AgainStep: {
            node: string;
            title: string;
            type: string;
        };
        /** @description Who must approve. A yes to other values than those of the yes before it begins anew. */
        Agreement: {
            /**
             * @description The stricter of tool, node and workflow.
             *
             *     * `anyone` - anyone
             *     * `not_starter` - not_starter
             *     * `two_people` - two_people
             *     * `two_others` - two_others
             */
            rule: components["schemas"]["ApproversEnum"];
            /** @description How many people must say yes. */
            needed: number;
            given: components["schemas"]["GivenApproval"][];
            /** @description While it is open and not anyone may: whose yes can still count, by e-mail. */
            able: string[];
        };
        /** @description Something that operators allow beside what the environment allows. */
        Allowance: {
            id: string;
            kind: components["schemas"]["AllowanceKindEnum"];
            value: string;
            added_by: string | null;
            /** Format: date-time */
            created_at: string;
        };
        /**
         * @description * `command` - Command
         *     * `host` - Host
         *     * `loopback` - Loopback
         * @enum {string}
         */
        AllowanceKindEnum: "command" | "host" | "loopback";
        /** @description One more that is allowed. */
        AllowanceNewRequest: {
            kind: components["schemas"]["AllowanceKindEnum"];
            /**
             * @description A command or whole command line; a host, address or network; nothing for loopback.
             * @default
             */
            value?: string;
        };
        /** @description How many, and how large together. */
        Amount: {
            count: number;
            bytes: number;
        };
        /** @description What was used. `runs` = those that people or triggers started, counted on the day they ended. */
        Amounts: {
            runs: number;
            failed: number;
            cancelled: number;
            /** @description Answers of models. */
            rounds: number;
            input_tokens: number;
            output_tokens: number;
            /** Format: double */
            cost: number;
            tool_calls: number;
        };
        /** @description An answer. `values` absent = as proposed. */
        Answer: {
            action: components["schemas"]["AnswerActionEnum"];
            values?: unknown;
            reason?: string;
            remember?: components["schemas"]["RememberEnum"];
        };
        /**
         * @description * `accept` - accept
         *     * `decline` - decline
         *     * `cancel` - cancel
         *     * `retry` - retry
         *     * `skip` - skip
         *     * `fail` - fail
         * @enum {string}
         */
        AnswerActionEnum: "accept" | "decline" | "cancel" | "retry" | "skip" | "fail";
        /** @description An answer. `values` absent = as proposed. */
        AnswerRequest: {
            action: components["schemas"]["AnswerActionEnum"];
            values?: unknown;
            reason?: string;
            remember?: components["schemas"]["RememberEnum"];
        };
        /** @description What became of one question. */
        Answered: {
            id: string;
            answered: boolean;
            /** @description Why not, as errors of this API are. */
            error: unknown;
        };
        /** @description Of each, in the order of the ids. */
        AnsweredList: {
            results: components["schemas"]["Answered"][];
        };
        /**
         * @description * `retry` - retry
         *     * `skip` - skip
         *     * `fail` - fail
         * @enum {string}
         */
        AnswersActionEnum: "retry" | "skip" | "fail";
        /** @description One answer for several questions, each named. */
        AnswersRequest: {
            ids: string[];
            action: components["schemas"]["AnswersActionEnum"];
            /** @description With skip, of a tool: `{"result": "..."}`, for each of them. */
            values?: unknown;
            reason?: string;
        };
        /** @description What an OpenAPI document describes. */
        Api: {
            title: string;
            version: string;
            /** @description OpenAPI 3.1.0, Swagger 2.0 and so on. */
            dialect: string;
            bases: components["schemas"]["ApiBase"][];
            schemes: components["schemas"]["ApiScheme"][];
            /** @description The first 500. */
            operations: components["schemas"]["ApiOperation"][];
            /** @description How many operations become tools. */
            total: number;
            left_out: components["schemas"]["ApiLeftOut"][];
        };
        /** @description An address below which an API's operations are, as its document says. */
        ApiBase: {
            url: string;
            /** @description On another host than the document: to be confirmed by a person. */
            foreign: boolean;
        };
        /** @description An OpenAPI document to look at: one of the two. */
        ApiDocumentRequest: {
            /** @description JSON or YAML. */
            document?: string;
            /** @description Where it is read. */
            url?: string;
        };
        /**
         * @description * `header` - Header
         *     * `query` - Query
         *     * `cookie` - Cookie
         * @enum {string}
         */
        ApiKeyInEnum: "header" | "query" | "cookie";
        /** @description An operation that is no tool, and why. */
        ApiLeftOut: {
            operation: string;
            message: string;
            hint: string;
        };
        /** @description An operation and the tool that it becomes. */
        ApiOperation: {
            name: string;
            method: string;
            path: string;
            title: string;
        };
        /** @description How an API wants its users to sign in. */
        ApiScheme: {
            name: string;
            /**
             * @description other: cannot be used here.
             *
             *     * `api_key` - api_key
             *     * `bearer` - bearer
             *     * `basic` - basic
             *     * `other` - other
             */
            kind: components["schemas"]["ApiSchemeKindEnum"];
            /**
             * @description Of an API key.
             *
             *     * `` -
             *     * `header` - header
             *     * `query` - query
             *     * `cookie` - cookie
             */
            place: components["schemas"]["PlaceEnum"] | components["schemas"]["BlankEnum"];
            /** @description What an API key is called there. */
            parameter: string;
        };
        /**
         * @description * `api_key` - api_key
         *     * `bearer` - bearer
         *     * `basic` - basic
         *     * `other` - other
         * @enum {string}
         */
        ApiSchemeKindEnum: "api_key" | "bearer" | "basic" | "other";
        /** @description What an operator said about the program that a server starts, by the hash of its whole configuration. */
        Approval: {
            /**
             * @description free = nobody is asked.
             *
             *     * `free` - free
             *     * `waiting` - waiting
             *     * `approved` - approved
             *     * `rejected` - rejected
             */
            state: components["schemas"]["ApprovalStateEnum"];
            hash: string;
            /**
             * @description earlier = there before approvals were asked for; included = came along with Patchbay.
             *
             *     * `operator` - operator
             *     * `earlier` - earlier
             *     * `included` - included
             */
            basis: components["schemas"]["ApprovalBasisEnum"] | components["schemas"]["NullEnum"];
            decided_by: string | null;
            /** Format: date-time */
            decided_at: string | null;
        };
        /**
         * @description * `operator` - operator
         *     * `earlier` - earlier
         *     * `included` - included
         * @enum {string}
         */
        ApprovalBasisEnum: "operator" | "earlier" | "included";
        /**
         * @description * `free` - free
         *     * `waiting` - waiting
         *     * `approved` - approved
         *     * `rejected` - rejected
         * @enum {string}
         */
        ApprovalStateEnum: "free" | "waiting" | "approved" | "rejected";
        /**
         * @description * `anyone` - anyone
         *     * `not_starter` - not_starter
         *     * `two_people` - two_people
         *     * `two_others` - two_others
         * @enum {string}
         */
        ApproversEnum: "anyone" | "not_starter" | "two_people" | "two_others";
        /** @description What a step asked for that the journal does not hold. */
        Asked: {
            /** @description Empty: the step was about to end. */
            key: string;
            target: string;
        };
        /**
         * @description * `server` - Server
         *     * `test` - Test
         *     * `declaration` - Declaration
         * @enum {string}
         */
        AskedForEnum: "server" | "test" | "declaration";
        /** @description The client that asks; nobody checked its name. */
        AskingClient: {
            /** @description Its id: given when it registered, or the address of its document. */
            id: string;
            name: string;
            /** @description Where its document stands, which is proven; empty = it registered itself. */
            host: string;
        };
        /** @description Who did it; without e-mail and name where the account is gone. */
        AuditActor: {
            id: string;
            email: string | null;
            name: string | null;
        };
        /** @description The team's chain: its end, how far it was verified and when, the first position that is not as it was. */
        AuditChain: {
            /** @description The last position that went by age. */
            start: number;
            /** @description The last position. */
            head: number;
            /** @description Of the last position; note it elsewhere. */
            digest: string;
            verified: number;
            /** Format: date-time */
            verified_at: string | null;
            broken: number | null;
            problem: string;
            /** @description Deeds of the last hour that have no place yet. */
            waiting: number;
        };
        /**
         * @description One action. `changes` = {field: [before, after]}; `erased` = what people wrote went with what it belonged to.
         *
         *     `link` is null until the action has its place in the chain, some minutes at most.
         */
        AuditEntry: {
            id: string;
            /** Format: date-time */
            at: string;
            action: string;
            actor: components["schemas"]["AuditActor"] | null;
            token: components["schemas"]["AuditToken"] | null;
            kind: string;
            target: string;
            data: {
                [key: string]: unknown;
            };
            changes: {
                [key: string]: unknown[];
            };
            content: {
                [key: string]: unknown;
            };
            erased: boolean;
            link: components["schemas"]["AuditLink"] | null;
        };
        /** @description An action's place in the team's chain. `data` and `content` have digests of their own; no salt = erased. */
        AuditLink: {
            position: number;
            /** @description SHA-256 of the link before, the position, the action and both digests. */
            digest: string;
            /** @description HMAC-SHA-256; "" = there was nothing. */
            data_digest: string;
            data_salt: string | null;
            content_digest: string;
            content_salt: string | null;
        };
        /** @description Deeds, newest first. */
        AuditList: {
            results: components["schemas"]["AuditEntry"][];
            next: string | null;
        };
        /** @description The API token that it was done with; without a name where it is gone. */
        AuditToken: {
            id: string;
            name: string | null;
        };
        /**
         * @description * `none` - None
         *     * `api_key` - Api Key
         *     * `bearer` - Bearer
         *     * `basic` - Basic
         *     * `oauth` - Oauth
         * @enum {string}
         */
        AuthTypeEnum: "none" | "api_key" | "bearer" | "basic" | "oauth";
        /** @description How many of each kind a member has alone. Running work goes on when the member goes; the rest does not. */
        Belongings: {
            tokens: number;
            servers: number;
            providers: number;
            running: number;
        };
        /**
         * @description A run that a step had started: how many of its steps and rounds are taken over where the step starts one again
         *     with the same inputs.
         */
        Below: {
            node: string;
            title: string;
            type: string;
            path: components["schemas"]["Frame"][];
            rounds_kept: number;
            run: string;
            /** @description Its name. */
            workflow: string;
            steps_kept: number;
        };
        /** @enum {unknown} */
        BlankEnum: "";
        /** @description What a program is started in here. */
        Box: {
            /**
             * @description bwrap, launcher: a box. limits: this machine gives none. open: the program is started in none.
             *
             *     * `bwrap` - bwrap
             *     * `launcher` - launcher
             *     * `limits` - limits
             *     * `open` - open
             */
            kind: components["schemas"]["BoxKindEnum"];
            /**
             * @description Why there is no box.
             *
             *     * `` -
             *     * `decided` - decided
             *     * `undecided` - undecided
             *     * `trusted_command` - trusted_command
             *     * `machine` - machine
             */
            reason: components["schemas"]["ReasonEnum"] | components["schemas"]["BlankEnum"];
            /** @description What it sees besides the system, its own files and its home. */
            folders: components["schemas"]["Folder"][];
            /** @description Paths of its arguments that are too much to show unasked. */
            broad: string[];
            network: boolean;
            memory_mb: number;
            processes: number;
            files: number;
            file_mb: number;
            /** @description Its home in all; it is ended soon after it holds more. 0 = no limit. */
            home_mb: number;
            cpu_s: number;
            /** @description Memory and processes are counted over everything it starts; else for each process by itself. */
            as_a_whole: boolean;
        };
        /**
         * @description * `bwrap` - bwrap
         *     * `launcher` - launcher
         *     * `limits` - limits
         *     * `open` - open
         * @enum {string}
         */
        BoxKindEnum: "bwrap" | "launcher" | "limits" | "open";
        /** @description What a team's models may use in a day (UTC); null or absent = no limit. */
        Budget: {
            /** Format: int64 */
            tokens_per_day?: number | null;
            /** Format: double */
            cost_per_day?: number | null;
            /**
             * Format: double
             * @description Of each page that says nothing itself; null or absent = PATCHBAY_PAGE_COST_PER_DAY.
             */
            page_cost_per_day?: number | null;
        };
        /** @description What a team's models may use in a day (UTC); null or absent = no limit. */
        BudgetRequest: {
            /** Format: int64 */
            tokens_per_day?: number | null;
            /** Format: double */
            cost_per_day?: number | null;
            /**
             * Format: double
             * @description Of each page that says nothing itself; null or absent = PATCHBAY_PAGE_COST_PER_DAY.
             */
            page_cost_per_day?: number | null;
        };
        /**
         * @description * `ok` - ok
         *     * `near` - near
         *     * `reached` - reached
         * @enum {string}
         */
        BudgetStateEnum: "ok" | "near" | "reached";
        /** @description One budget of the team: what is used of it today. */
        BudgetUse: {
            name: components["schemas"]["BudgetUseNameEnum"];
            /** Format: double */
            used: number;
            /**
             * Format: double
             * @description null = no limit
             */
            limit: number | null;
            /**
             * Format: double
             * @description 1 = all of it
             */
            share: number | null;
            /**
             * @description near = from 80 %; reached = models are asked no more today
             *
             *     * `ok` - ok
             *     * `near` - near
             *     * `reached` - reached
             */
            state: components["schemas"]["BudgetStateEnum"];
        };
        /**
         * @description * `tokens` - tokens
         *     * `cost` - cost
         * @enum {string}
         */
        BudgetUseNameEnum: "tokens" | "cost";
        /**
         * @description * `day` - day
         *     * `workflow` - workflow
         *     * `member` - member
         *     * `model` - model
         *     * `server` - server
         * @enum {string}
         */
        ByEnum: "day" | "workflow" | "member" | "model" | "server";
        /** @description A tool's answer and the raw messages around it. */
        Call: {
            content: unknown[];
            structured: unknown;
            text: string;
            is_error: boolean;
            /** Format: double */
            ms: number;
            messages: components["schemas"]["Message"][];
        };
        /** @description A direct call. `confirm` answers the question that the gate would ask. */
        CallInputRequest: {
            server: string;
            tool: string;
            arguments?: unknown;
            /** @default false */
            confirm?: boolean;
        };
        /** @description The program that started a run, by the names that it had then. */
        Caller: {
            /**
             * @description A token of the API, a client of OAuth, or a trigger.
             *
             *     * `token` - token
             *     * `oauth` - oauth
             *     * `trigger` - trigger
             */
            kind: components["schemas"]["CallerKindEnum"];
            /** @description The token's, the client's or the trigger's name, also when that is gone. */
            name: string;
            /** @description What the MCP client calls itself (`clientInfo`); nobody checked it. */
            program: string | null;
        };
        /**
         * @description * `token` - token
         *     * `oauth` - oauth
         *     * `trigger` - trigger
         * @enum {string}
         */
        CallerKindEnum: "token" | "oauth" | "trigger";
        /** @description A page of names, in order. */
        CallerList: {
            results: components["schemas"]["CallerName"][];
            next: string | null;
        };
        /** @description A program that started runs, or several of one name. */
        CallerName: {
            /** @description As `caller` of `GET /api/runs` takes it. */
            name: string;
        };
        /** @description How calls of a server ended. Latencies are those of answers, to within a tenth. */
        Calls: {
            /** @description That ended; those that a person cancelled or that were not allowed do not count. */
            calls: number;
            /** @description Answered, with an error that the tool reported. */
            errors: number;
            /** @description Not answered: unreachable, too late, refused, or against the protocol. */
            failed: number;
            /**
             * Format: double
             * @description Half of the answers came within this time; null = no answers.
             */
            p50_ms: number | null;
            /**
             * Format: double
             * @description So did 95 % of them.
             */
            p95_ms: number | null;
        };
        /** @description The same of an hour or a day. */
        CallsAt: {
            /** @description That ended; those that a person cancelled or that were not allowed do not count. */
            calls: number;
            /** @description Answered, with an error that the tool reported. */
            errors: number;
            /** @description Not answered: unreachable, too late, refused, or against the protocol. */
            failed: number;
            /**
             * Format: double
             * @description Half of the answers came within this time; null = no answers.
             */
            p50_ms: number | null;
            /**
             * Format: double
             * @description So did 95 % of them.
             */
            p95_ms: number | null;
            /**
             * Format: date-time
             * @description When it begins.
             */
            at: string;
        };
        /** @description Which skills of an agent are accepted. */
        CardVersionRequest: {
            /** @description The `version` that was shown with them. */
            version: string;
        };
        /**
         * @description * `outcome` - outcome
         *     * `failure` - failure
         * @enum {string}
         */
        CauseEnum: "outcome" | "failure";
        /** @description A tool that was called. `arguments` = the beginning of their JSON text; `ms` null where no answer came. */
        ChatCall: {
            server: string;
            tool: string;
            arguments: string;
            /** Format: double */
            ms: number | null;
            failed: boolean;
        };
        /** @description A file that went with a message. */
        ChatFile: {
            id: string;
            name: string;
            mime: string;
            size: number;
        };
        /** @description Whether each is there. `redis` only in the scaled mode. */
        Checks: {
            database: boolean;
            /** @description The database has all tables of this version. */
            migrations: boolean;
            /** @description At least one worker said lately that it is there. */
            workers: boolean;
            /** @description The database makes writes, and its disk has room and inodes. */
            storage: boolean;
            redis?: boolean;
        };
        /** @description A run that a step of another run started; `STEP_LOG` and `TOOL_REQUEST` of that step name it as `data.run`. */
        ChildRun: {
            id: string;
            workflow: string;
            workflow_name: string;
            version: number | null;
            state: components["schemas"]["RunStateEnum"];
            error: components["schemas"]["RunError"] | null;
            usage: components["schemas"]["Usage"];
            waiting: components["schemas"]["Waiting"][];
            /** Format: date-time */
            queued_at: string;
            /** Format: date-time */
            started_at: string | null;
            /** Format: date-time */
            finished_at: string | null;
        };
        /**
         * @description * `boxed` - boxed
         *     * `open` - open
         * @enum {string}
         */
        ChosenBoxEnum: "boxed" | "open";
        /** @description A tool of a server. */
        ChosenTool: {
            server: string;
            tool: string;
        };
        /** @description The decision was kept. */
        ClientAnswer: {
            /** @description Where the browser goes now. */
            location: string;
        };
        /** @description What a client asks a member for. */
        ClientAsk: {
            client: components["schemas"]["AskingClient"];
            /** @description Where the browser goes with the answer. */
            redirect_uri: string;
            redirect_host: string;
            /** @description Whether that is a program on the machine where the browser is. */
            this_machine: boolean;
            /** @description The address that it is for. */
            address: string;
            /** @description The name of the collection at that address; null = there is none. */
            collection: string | null;
            /** @description The name of the agent at that address; null = there is none. */
            agent: string | null;
            /** @description The id of the team whose it is, in which alone it can be allowed. */
            team: string | null;
            scopes: components["schemas"]["ClientScopesEnum"][];
            /** @description For how many days it can be allowed. */
            days: number[];
            /** @description What is sent back with the decision: good in this browser for ten minutes. */
            ticket: string;
        };
        /**
         * @description * `read` - read
         *     * `run` - run
         *     * `answer` - answer
         * @enum {string}
         */
        ClientScopesEnum: "read" | "run" | "answer";
        /** @description A code of the authenticator app. */
        CodeRequest: {
            code: string;
        };
        /** @description Python in a node. */
        CodeWant: {
            node: string;
            title: string;
            source: string;
            lines: number;
            modules: string[];
            /** @description Modules that the sandbox has not. */
            missing: string[];
        };
        /** @description A collection; `url` is where its clients connect, with a token of it. */
        Collection: {
            id: string;
            name: string;
            slug: string;
            description: string;
            enabled: boolean;
            url: string;
            /** @description How many tools and workflows are in it. */
            tools: number;
            /** @description How many tokens open it. */
            tokens: number;
            /** @description How many calls came through it in the last seven days. */
            calls_7d: number;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        /** @description A call that a client made. */
        CollectionCall: {
            /** @description A person has to answer what it asks. */
            waits_for_person: boolean;
            /** @description The front end that started it has to answer calls of its own tools. */
            waits_for_client: boolean;
            run: string;
            tool: string;
            /** @description E-mail of the member whose token it was. */
            by: string | null;
            /** @description The program that called. */
            caller: components["schemas"]["Caller"] | null;
            state: components["schemas"]["RunStateEnum"];
            /** Format: date-time */
            at: string;
            /** Format: date-time */
            finished_at: string | null;
        };
        /** @description A resource, a template or a prompt that clients are offered. `name` and `description` are what they see. */
        CollectionContent: {
            id: string;
            kind: components["schemas"]["CollectionContentKindEnum"];
            name: string;
            description: string;
            /** @description Whether name or description is other than the original's. */
            edited: boolean;
            /** @description The URI, the URI template, or the prompt's name at the server. */
            reference: string;
            original: components["schemas"]["ContentOriginal"];
            server: string;
            server_name: string;
            /** @description The server is switched off, so it is not offered. */
            off: boolean;
            /** @description What a reading runs: a workflow that is in no list. */
            workflow: string;
        };
        /**
         * @description * `resource` - Resource
         *     * `template` - Template
         *     * `prompt` - Prompt
         * @enum {string}
         */
        CollectionContentKindEnum: "resource" | "template" | "prompt";
        /** @description What is to be in it: a resource, a template of resources, or a prompt that a server lists. */
        CollectionContentNewRequest: {
            /** @description Its slug or id. */
            server: string;
            /** @description Its URI. */
            resource?: string;
            /** @description The URI template. */
            template?: string;
            /** @description Its name at the server. */
            prompt?: string;
            /** @description As clients see it. */
            name?: string;
            /**
             * @description Absent = the original's.
             * @default
             */
            description?: string;
        };
        /** @description A collection with what is in it, and its latest calls. */
        CollectionDetail: {
            id: string;
            name: string;
            slug: string;
            description: string;
            enabled: boolean;
            url: string;
            /** @description How many tools and workflows are in it. */
            tools: number;
            /** @description How many tokens open it. */
            tokens: number;
            /** @description How many calls came through it in the last seven days. */
            calls_7d: number;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            entries: components["schemas"]["CollectionTool"][];
            contents: components["schemas"]["CollectionContent"][];
            calls: components["schemas"]["CollectionCall"][];
        };
        /** @description Collections, newest first. */
        CollectionList: {
            results: components["schemas"]["Collection"][];
            next: string | null;
        };
        /** @description A new collection; its name suffices. */
        CollectionNewRequest: {
            name: string;
            /** @description The end of its address; made of the name if absent. */
            slug?: string;
            /** @default  */
            description?: string;
        };
        /** @description A token of the collection, which opens nothing else. */
        CollectionTokenRequest: {
            name: string;
            scopes?: components["schemas"]["ClientScopesEnum"][];
            expires_in_days?: number | null;
            /** @description IP addresses and networks (CIDR) that it works from. */
            networks?: string[];
        };
        /** @description What clients are offered. `name` and `description` are what they see, `original` is what is called. */
        CollectionTool: {
            id: string;
            kind: components["schemas"]["CollectionToolKindEnum"];
            name: string;
            description: string;
            /** @description Whether name or description is other than the original's. */
            edited: boolean;
            original: components["schemas"]["Original"];
            /** @description The server's slug; null for a workflow. */
            server: string | null;
            server_name: string | null;
            /** @description What a call runs; of a tool a workflow that is in no list. */
            workflow: string;
            /** @description Of a workflow what is published. */
            version: number | null;
            gate: components["schemas"]["GateEnum"];
            risk: components["schemas"]["Risk"] | null;
            /** @description The server lists it otherwise than it was pinned, so every call asks. */
            changed: boolean;
            /** @description It can no longer be called: the server lists it no longer, nothing is published. */
            gone: boolean;
            /** @description About how many tokens a model reads of it. */
            size: number;
        };
        /**
         * @description * `tool` - tool
         *     * `workflow` - workflow
         * @enum {string}
         */
        CollectionToolKindEnum: "tool" | "workflow";
        /** @description What is to be in it: a tool of a server, or a published workflow. */
        CollectionToolNewRequest: {
            /** @description Its slug or id. */
            server?: string;
            tool?: string;
            /** @description Its slug or id. */
            workflow?: string;
            /** @description As clients see it; the original's if absent. */
            name?: string;
            /**
             * @description Absent = the original's.
             * @default
             */
            description?: string;
        };
        /** @description What changed between two versions or the draft. */
        Comparison: {
            from: string;
            nodes: components["schemas"]["ItemChanges"];
            edges: components["schemas"]["ItemChanges"];
            /** @description Other keys that differ. */
            document: string[];
            to: string;
        };
        /** @description An argument that is being written, of a prompt or of a template. */
        CompleteRequest: {
            prompt?: string;
            uri_template?: string;
            argument: string;
            value: string;
            /** @description The other arguments, as far as given. */
            arguments?: {
                [key: string]: string;
            };
        };
        /** @description What may stand in an argument. */
        Completed: {
            values: string[];
        };
        /** @description What an operator should look at. */
        Concern: {
            /**
             * @description arguments = they may run code that they carry; variable = not plainly the server's own; cwd = a folder outside the program's own home.
             *
             *     * `arguments` - arguments
             *     * `variable` - variable
             *     * `cwd` - cwd
             */
            kind: components["schemas"]["ConcernKindEnum"];
            name: string;
        };
        /**
         * @description * `arguments` - arguments
         *     * `variable` - variable
         *     * `cwd` - cwd
         * @enum {string}
         */
        ConcernKindEnum: "arguments" | "variable" | "cwd";
        /**
         * @description * `ok` - ok
         *     * `error` - error
         *     * `unknown` - unknown
         * @enum {string}
         */
        ConnectionStateEnum: "ok" | "error" | "unknown";
        /** @description What changed of a resource, template or prompt since it was accepted. */
        ContentChange: {
            kind: components["schemas"]["OfferedEnum"];
            /** @description The URI, the template or the prompt's name. */
            name: string;
            change: components["schemas"]["ContentChangeChangeEnum"];
            /** @description As it was accepted; null where it was added. */
            before: unknown;
            /** @description As it is listed; null where it is gone. */
            now: unknown;
        };
        /**
         * @description * `added` - added
         *     * `changed` - changed
         *     * `gone` - gone
         * @enum {string}
         */
        ContentChangeChangeEnum: "added" | "changed" | "gone";
        /** @description What the server listed when it was put in. */
        ContentOriginal: {
            name: string;
            title: string;
            description: string;
            mime_type: string | null;
            /** @description Of a prompt what it takes. */
            arguments: components["schemas"]["PromptArgument"][];
        };
        /** @description What to accept as the server lists it now. */
        ContentsAcceptRequest: {
            kind: components["schemas"]["OfferedEnum"];
            /** @description The URI, the template or the prompt's name; absent = all that changed of the kind. */
            name?: string;
        };
        /** @description What was accepted. */
        ContentsAccepted: {
            /** @description How many changes. */
            accepted: number;
        };
        /** @description A conversation of the person who asks; its latest run's state and whose answer that waits for. */
        Conversation: {
            /** @description A person has to answer what it asks. */
            waits_for_person: boolean;
            /** @description The front end that started it has to answer calls of its own tools. */
            waits_for_client: boolean;
            id: string;
            trigger: string;
            workflow: string;
            workflow_name: string;
            title: string;
            /** @description Its runs take the workflow's draft. */
            draft: boolean;
            /**
             * @description Of its latest run.
             *
             *     * `QUEUED` - Queued
             *     * `RUNNING` - Running
             *     * `WAITING` - Waiting
             *     * `PAUSED` - Paused
             *     * `SUCCESS` - Success
             *     * `ERROR` - Error
             *     * `CANCELLED` - Cancelled
             */
            state: components["schemas"]["RunStateEnum"] | components["schemas"]["NullEnum"];
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        /** @description A conversation as opened. */
        ConversationDetail: {
            /** @description A person has to answer what it asks. */
            waits_for_person: boolean;
            /** @description The front end that started it has to answer calls of its own tools. */
            waits_for_client: boolean;
            id: string;
            trigger: string;
            workflow: string;
            workflow_name: string;
            title: string;
            /** @description Its runs take the workflow's draft. */
            draft: boolean;
            /**
             * @description Of its latest run.
             *
             *     * `QUEUED` - Queued
             *     * `RUNNING` - Running
             *     * `WAITING` - Waiting
             *     * `PAUSED` - Paused
             *     * `SUCCESS` - Success
             *     * `ERROR` - Error
             *     * `CANCELLED` - Cancelled
             */
            state: components["schemas"]["RunStateEnum"] | components["schemas"]["NullEnum"];
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** @description The last 50 of those that are shown, or the 50 before `before`. */
            turns: components["schemas"]["Turn"][];
            /** @description `before` of the ones before these; null at the beginning. */
            earlier: string | null;
        };
        /** @description All of a conversation, every version of every message too, oldest first. */
        ConversationExport: {
            /** @description A person has to answer what it asks. */
            waits_for_person: boolean;
            /** @description The front end that started it has to answer calls of its own tools. */
            waits_for_client: boolean;
            id: string;
            trigger: string;
            workflow: string;
            workflow_name: string;
            title: string;
            /** @description Its runs take the workflow's draft. */
            draft: boolean;
            /**
             * @description Of its latest run.
             *
             *     * `QUEUED` - Queued
             *     * `RUNNING` - Running
             *     * `WAITING` - Waiting
             *     * `PAUSED` - Paused
             *     * `SUCCESS` - Success
             *     * `ERROR` - Error
             *     * `CANCELLED` - Cancelled
             */
            state: components["schemas"]["RunStateEnum"] | components["schemas"]["NullEnum"];
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            turns: components["schemas"]["KeptTurn"][];
        };
        /** @description One page of conversations, the latest first. */
        ConversationList: {
            results: components["schemas"]["Conversation"][];
            next: string | null;
        };
        /**
         * @description * `shared` - Shared
         *     * `user` - User
         * @enum {string}
         */
        CredentialsEnum: "shared" | "user";
        /**
         * @description * `` -
         *     * `2` - 2
         *     * `3` - 3
         *     * `4` - 4
         *     * `5` - 5
         * @enum {string}
         */
        CursorEnum: "2" | "3" | "4" | "5";
        /**
         * @description * `1` - 1
         *     * `30` - 30
         *     * `90` - 90
         * @enum {integer}
         */
        DaysEnum: 1 | 30 | 90;
        /** @description What a member decides. */
        DecisionRequest: {
            ticket: string;
            allow: boolean;
            /** @default  */
            team?: string;
            scopes?: components["schemas"]["ClientScopesEnum"][];
            /** @default 30 */
            days?: components["schemas"]["DaysEnum"];
        };
        /** @description A server declared inside a document, by the hash of its configuration. */
        Declaration: {
            hash: string;
            name: string;
            config: unknown;
            workflow: string;
            state: components["schemas"]["DeclarationStateEnum"];
            decided_by: string | null;
            /** Format: date-time */
            decided_at: string | null;
            /** Format: date-time */
            created_at: string;
            /** @description null where it starts no program. */
            approval: components["schemas"]["Approval"] | null;
            /** @description null where neither npx nor uvx starts it. */
            package: components["schemas"]["Package"] | null;
            /** @description Of an agent: how many skills changed and wait to be accepted. */
            changed: number;
        };
        /** @description A page of declarations. */
        DeclarationList: {
            results: components["schemas"]["Declaration"][];
            next: string | null;
        };
        /**
         * @description * `waiting` - waiting
         *     * `approved` - approved
         *     * `rejected` - rejected
         * @enum {string}
         */
        DeclarationStateEnum: "waiting" | "approved" | "rejected";
        /** @description What a server declared when it was last connected to. */
        Declared: {
            /**
             * @description modern: without sessions, since 2026-07-28.
             *
             *     * `modern` - modern
             *     * `handshake` - handshake
             */
            era: components["schemas"]["EraEnum"];
            /** @description `resources`, `resources.subscribe` and so on. */
            capabilities: string[];
            extensions: string[];
            /** @description What it says of its use; its first 1,000 characters. */
            instructions: string;
        };
        /** @description An agent that is declared inside a document. */
        DeclaredAgent: {
            hash: string;
            /** @description null until it was first read, which takes an approval. */
            card: components["schemas"]["DeclaredCard"] | null;
            /** @description Names the skills as they are listed now, to be accepted. */
            version: string;
            /** @description How many skills changed and wait to be accepted. */
            changed: number;
            skills: components["schemas"]["Tool"][];
        };
        /** @description What the card of an agent says, as it was read last. */
        DeclaredCard: {
            name: string;
            version: string;
            description: string;
            /** @description Where its messages go, on the host that is declared. */
            url: string;
            protocol: string;
            /** Format: date-time */
            read_at: string;
        };
        /** @description What a server says about one of its tools. */
        Definition: {
            name: string;
            title: string;
            description: string;
            input_schema: unknown;
            output_schema: unknown;
            annotations: unknown;
        };
        /**
         * @description How a tool's definition differs from the accepted one: its risk by either, the lines that went (`-…`) and came
         *     (`+…`); `@` stands where lines are left out.
         */
        DefinitionChange: {
            since: string;
            before: components["schemas"]["RiskLevelEnum"];
            after: components["schemas"]["RiskLevelEnum"];
            lines: string[];
        };
        /** @description One time that a trigger was called, due or met. */
        Delivery: {
            /** @description A person has to answer what it asks. */
            waits_for_person: boolean;
            /** @description The front end that started it has to answer calls of its own tools. */
            waits_for_client: boolean;
            id: string;
            /** Format: date-time */
            at: string;
            /** @description The moment of a schedule, or the name of what happened. */
            slot: string | null;
            outcome: components["schemas"]["DeliveryOutcomeEnum"];
            /** @description What a webhook's caller, or who sent a page, was answered at once. */
            status: number | null;
            error: components["schemas"]["DeliveryError"] | null;
            run: string | null;
            run_state: components["schemas"]["RunStateEnum"] | components["schemas"]["NullEnum"];
            replay_of: string | null;
            /** @description What came, masked; null where it is large. */
            request: {
                [key: string]: unknown;
            } | null;
            /** @description Bytes of what came, where it is large. */
            size: number | null;
        };
        /** @description Why a delivery led to no run. */
        DeliveryError: {
            code: string;
            message: string;
            hint: string;
            fields: {
                [key: string]: string[];
            };
        };
        /** @description One page of deliveries, newest first. */
        DeliveryList: {
            results: components["schemas"]["Delivery"][];
            next: string | null;
        };
        /**
         * @description * `started` - Started
         *     * `same` - Same
         *     * `skipped` - Skipped
         *     * `missed` - Missed
         *     * `refused` - Refused
         *     * `failed` - Failed
         * @enum {string}
         */
        DeliveryOutcomeEnum: "started" | "same" | "skipped" | "missed" | "refused" | "failed";
        /**
         * @description * `out` - out
         *     * `in` - in
         * @enum {string}
         */
        DirectionEnum: "out" | "in";
        /** @description The draft. */
        Draft: {
            revision: number;
            by: string | null;
            /** Format: date-time */
            at: string;
            graph: unknown;
        };
        /** @description Who saved the draft last. */
        DraftInfo: {
            revision: number;
            by: string | null;
            /** Format: date-time */
            at: string;
        };
        /** @description A draft and the revision that it was made on. */
        DraftInputRequest: {
            revision: number;
            graph: unknown;
        };
        /** @description The new revision and what is wrong with the draft. */
        DraftSaved: {
            revision: number;
            problems: components["schemas"]["Problem"][];
        };
        /** @description The copy's name; absent = the original's with (2). */
        DuplicateRequest: {
            /** @default  */
            name?: string;
        };
        /**
         * @description * `read` - read
         *     * `idempotent` - idempotent
         *     * `write` - write
         * @enum {string}
         */
        EffectEnum: "read" | "idempotent" | "write";
        /** @description How many sessions ended. */
        Ended: {
            ended: number;
        };
        /**
         * @description * `modern` - modern
         *     * `handshake` - handshake
         * @enum {string}
         */
        EraEnum: "modern" | "handshake";
        /**
         * @description One line of a run's log; `seq` from 1 without gaps. `data` by `type`.
         *
         *     Sentences in `data` are in the reader's language (Accept-Language; over the websocket the subscription's
         *     `language`): `message` and `hint` of STEP_ERROR and FLOW_FAILED beside their `code` and `params`, and the
         *     `risk.reasons` of STEP_WAITING_FOR_START beside `risk.codes` = [{code, params}].
         */
        Event: {
            run: string;
            seq: number;
            /** Format: date-time */
            ts: string;
            type: string;
            node: string | null;
            path: components["schemas"]["Frame"][];
            step: string | null;
            data: {
                [key: string]: unknown;
            };
        };
        /** @description Events after `after`; `next` is the `after` of the following page, null at the end of what there is. */
        EventList: {
            results: components["schemas"]["Event"][];
            next: number | null;
        };
        /** @description What a person should know of a call besides its arguments. */
        Evidence: {
            definition: components["schemas"]["DefinitionChange"] | null;
            read: components["schemas"]["Read"][];
        };
        /** @description Status and headers of one HTTP answer, and of what was asked, without secrets. */
        Exchange: {
            method: string;
            url: string;
            /** @description Headers of the request. */
            sent: {
                [key: string]: string;
            };
            status: number;
            /** @description Headers of the answer. */
            headers: {
                [key: string]: string;
            };
        };
        /** @description What becomes of a team when one's account goes: "blocked" = it would be without an owner. */
        Fate: {
            id: string;
            name: string;
            role: components["schemas"]["RoleEnum"];
            fate: components["schemas"]["FateEnum"];
        };
        /**
         * @description * `left` - left
         *     * `deleted` - deleted
         *     * `blocked` - blocked
         * @enum {string}
         */
        FateEnum: "left" | "deleted" | "blocked";
        /** @description One's teams and what becomes of each. */
        FateList: {
            results: components["schemas"]["Fate"][];
            next: string | null;
        };
        /**
         * @description * `tools` - tools
         *     * `vision` - vision
         *     * `json_schema` - json_schema
         *     * `reasoning` - reasoning
         * @enum {string}
         */
        FeaturesEnum: "tools" | "vision" | "json_schema" | "reasoning";
        /** @description A file that is kept. In a value it stands as `{"$file": id, name, mime, size}`. */
        FileValue: {
            id: string;
            name: string;
            mime: string;
            size: number;
        };
        /** @description What to look for in which MCP registry. */
        FindInputRequest: {
            /** @description The registry's base address; its v0.1 API is asked. */
            at: string;
            /**
             * @description Words to find.
             * @default
             */
            q?: string;
            /**
             * @description `next` of the page before.
             * @default
             */
            cursor?: string;
        };
        /** @description One request of a sign-in, masked. */
        FlowStep: {
            stage: string;
            method: string;
            url: string;
            sent: string;
            /** @description 0 = no answer. */
            status: number;
            body: string;
            /** Format: double */
            ms: number;
            at: string;
            /** @description Why the flow ended with it; empty where it went on. */
            problem: string;
        };
        /** @description A file or folder that a box shows. */
        Folder: {
            /** @description Absolute. */
            path: string;
            /** @default false */
            write?: boolean;
        };
        /** @description A file or folder that a box shows. */
        FolderRequest: {
            /** @description Absolute. */
            path: string;
            /** @default false */
            write?: boolean;
        };
        /** @description From where, and with what. */
        ForkRequest: {
            /**
             * @description Only say what would run again.
             * @default false
             */
            dry_run?: boolean;
            /** @description A step's id or its node's; one inside another stands for the outermost. */
            step: string;
            /** @description From the start only. */
            inputs?: {
                [key: string]: unknown;
            } | null;
            /** @description Another document; what it changes before the step runs anew too. */
            graph?: {
                [key: string]: unknown;
            } | null;
        };
        /**
         * @description * `json` - json
         *     * `yaml` - yaml
         * @enum {string}
         */
        FormatEnum: "json" | "yaml";
        /** @description A server that an import would create. */
        FoundServer: {
            name: string;
            transport: components["schemas"]["TransportEnum"];
            /** @description Its masked URL, or its command line. */
            target: string;
            /** @description Names that are stored encrypted. */
            secrets: string[];
            /** @description Secrets whose value is still to be given. */
            missing: string[];
            /** @description Placeholders; `values` answers them. */
            questions: components["schemas"]["ImportQuestion"][];
            /** @description Patterns of tools that get the policy deny. */
            denied: string[];
            /** @description All other tools get the policy deny. null = no list. */
            allowed: string[] | null;
            /** @description What could not be taken over. */
            notes: string[];
            /** @description Another way to the server before it; taken only where `only` names it. */
            alternative: boolean;
        };
        /** @description A frame around a step: which round of which iteration or loop. */
        Frame: {
            node: string;
            index: number;
        };
        /** @description A workflow as an agent of front ends that speak AG-UI. */
        FrontEndOffer: {
            /** @description Whether it is to be offered; set by `PATCH /api/workflows/{id}`. */
            offered: boolean;
            /** @description Where front ends send their requests, with a member's token. */
            url: string;
            /** @description What a request runs; null = nothing is published yet, so nothing is offered. */
            version: number | null;
            /** @description False where the published version can no longer be run here. */
            runnable: boolean;
            /** @description Whether a message starts a run; else values alone do. */
            takes_text: boolean;
            /** @description Other sites whose pages may ask: `PATCHBAY_AGUI_ORIGINS`. */
            origins: string[];
            /** @description Its latest runs of front ends, newest first. */
            calls: components["schemas"]["OfferedCall"][];
        };
        /**
         * @description * `allow` - allow
         *     * `ask` - ask
         *     * `deny` - deny
         * @enum {string}
         */
        GateEnum: "allow" | "ask" | "deny";
        /** @description A person's yes. */
        GivenApproval: {
            /** @description E-mail; null for a person who is gone. */
            by: string | null;
            /** Format: date-time */
            at: string;
            /** @description Whether it is for other values than were proposed. */
            changed: boolean;
            /** @description Those values, where they were changed. */
            values: unknown;
            remember: components["schemas"]["RememberEnum"];
        };
        /** @description An iteration or a loop in a round of another that goes on: where, and how many of its rounds are taken over. */
        GoesOn: {
            node: string;
            title: string;
            type: string;
            path: components["schemas"]["Frame"][];
            rounds_kept: number;
        };
        /** @description A permanent approval for a tool, in one workflow. */
        Grant: {
            id: string;
            tool: string;
            /** @description The workflow's id. */
            workflow: string;
            /**
             * @description Of any call of the tool, or of exactly the same arguments.
             *
             *     * `tool` - tool
             *     * `arguments` - arguments
             */
            of: components["schemas"]["OfEnum"];
            /** @description E-mails of those who agreed, as far as they have an account. */
            by: string[];
            /** @description false where the tool's definition or the server's configuration changed since: it covers nothing. */
            valid: boolean;
            /** Format: date-time */
            created_at: string;
        };
        /** @description One page of permanent approvals, newest first. */
        GrantList: {
            results: components["schemas"]["Grant"][];
            next: string | null;
        };
        /** @description `status` is "ok" once web and worker take work, "starting" before, "error" without a database. */
        Health: {
            status: components["schemas"]["HealthStatusEnum"];
            version: string;
            mode: components["schemas"]["ModeEnum"];
        };
        /**
         * @description * `ok` - ok
         *     * `starting` - starting
         *     * `error` - error
         * @enum {string}
         */
        HealthStatusEnum: "ok" | "starting" | "error";
        /** @description A host that is called. */
        HostWant: {
            host: string;
            /** @description False where it comes out of an expression. */
            fixed: boolean;
        };
        /** @description A server that ModelScope hosts for a person. Its address is a secret and not told. */
        HostedServer: {
            /** @description What ModelScope calls it. */
            id: string;
            name: string;
            description: string;
            /**
             * @description null where it has no address that works now.
             *
             *     * `http` - http
             *     * `sse` - sse
             */
            transport: components["schemas"]["HostedTransportEnum"] | components["schemas"]["NullEnum"];
            /** Format: date-time */
            expires_at: string | null;
            /** @description The team's server of this id; null where there is none. */
            server: string | null;
        };
        /** @description What ModelScope hosts for a person, and what was added of it. */
        HostedServers: {
            found: components["schemas"]["HostedServer"][];
            created: components["schemas"]["Server"][];
        };
        /**
         * @description * `http` - http
         *     * `sse` - sse
         * @enum {string}
         */
        HostedTransportEnum: "http" | "sse";
        /**
         * @description * `began` - began
         *     * `ahead` - ahead
         * @enum {string}
         */
        HowEnum: "began" | "ahead";
        /** @description What an import did, or would do. */
        Import: {
            created: components["schemas"]["Server"][];
            skipped: components["schemas"]["Skipped"][];
            found: components["schemas"]["FoundServer"][];
            /** @description Whose format it looks like. */
            dialect: string;
        };
        /**
         * @description Answers to what a report asks, by the keys and names in its `wants`.
         *
         *     A tool under a node's id counts for that node before one under the key of all alike; null = leave a placeholder.
         */
        ImportChoicesRequest: {
            tools?: {
                [key: string]: components["schemas"]["ToolChoiceRequest"] | null;
            };
            models?: {
                [key: string]: components["schemas"]["ModelChoiceRequest"];
            };
            servers?: {
                [key: string]: string;
            };
            secrets?: {
                [key: string]: string;
            };
        };
        /** @description Lines by their states. */
        ImportCounts: {
            mapped: number;
            changed: number;
            choose: number;
            left: number;
        };
        /** @description Another client's configuration, as text or JSON; or that document itself as the whole body. */
        ImportInputRequest: {
            /** @description The document, or any text that holds one: JSON (also a piece, with comments), TOML, YAML, an install link, `claude mcp add …`, an address. */
            config: unknown;
            /** @description Names to take; absent = all. */
            only?: string[];
            /**
             * @description Say what would be created; create nothing.
             * @default false
             */
            preview?: boolean;
            /** @description Answers to questions: {server: {question: answer}}. */
            values?: {
                [key: string]: {
                    [key: string]: string;
                };
            };
        };
        /** @description What became of one node of the file. */
        ImportLine: {
            /** @description Its id in the file. */
            origin: string;
            /** @description Its id here. */
            node: string;
            title: string;
            /** @description What it is in the file. */
            type: string;
            /** @description Our node type. */
            becomes: string;
            state: components["schemas"]["ImportLineStateEnum"];
            why: string;
            /** @description Key among `wants.tools` under which it is asked for together with those alike. */
            group: string;
        };
        /**
         * @description * `mapped` - mapped
         *     * `changed` - changed
         *     * `choose` - choose
         *     * `left` - left
         * @enum {string}
         */
        ImportLineStateEnum: "mapped" | "changed" | "choose" | "left";
        /** @description A value that a configuration leaves open. Without it a secret stays unset, and anything else is not taken. */
        ImportQuestion: {
            id: string;
            where: components["schemas"]["WhereEnum"];
            description: string;
            secret: boolean;
            choices: string[];
            /** @description Several values, one a line. */
            multiple: boolean;
            /** @description What stands in its place in the document. */
            token: string;
            label: string;
            required: boolean;
            default: string;
        };
        /** @description What an import makes of a file. */
        ImportReport: {
            kind: components["schemas"]["ImportReportKindEnum"];
            name: string;
            /** @description Of an app of Dify: workflow or chatflow. */
            mode: string;
            /** @description Of an app of Dify: the version of its format. */
            version: string;
            nodes: number;
            edges: number;
            counts: components["schemas"]["ImportCounts"];
            /** @description Those that need a person first. */
            lines: components["schemas"]["ImportLine"][];
            notes: string[];
            wants: components["schemas"]["ImportWants"];
        };
        /** @description The report alone: nothing was made. */
        ImportReportAnswer: {
            report: components["schemas"]["ImportReport"];
        };
        /**
         * @description * `dify` - dify
         *     * `patchbay` - patchbay
         * @enum {string}
         */
        ImportReportKindEnum: "dify" | "patchbay";
        /** @description What the document needs from the team. */
        ImportWants: {
            tools: components["schemas"]["ToolWant"][];
            models: components["schemas"]["ModelWant"][];
            secrets: components["schemas"]["NameWant"][];
            servers: components["schemas"]["NameWant"][];
            hosts: components["schemas"]["HostWant"][];
            code: components["schemas"]["CodeWant"][];
        };
        /**
         * @description A file's text (JSON or YAML; found out where `format` is absent), or the parsed graph: ours or an app of Dify.
         *
         *     `dry_run` makes nothing and answers the report alone.
         */
        ImportWorkflowRequest: {
            /** @default  */
            name?: string;
            text?: string;
            graph?: unknown;
            format?: components["schemas"]["FormatEnum"];
            /** @default false */
            dry_run?: boolean;
            choices?: components["schemas"]["ImportChoicesRequest"];
        };
        /** @description The new workflow, and the report about its import. */
        ImportedWorkflow: {
            workflow: components["schemas"]["NewlyImported"];
            report: components["schemas"]["ImportReport"];
        };
        /**
         * @description * `env` - env
         *     * `header` - header
         *     * `url` - url
         *     * `arg` - arg
         * @enum {string}
         */
        InEnum: "env" | "header" | "url" | "arg";
        /** @description Who operates the installation, and what is allowed in it. */
        Installation: {
            operators: components["schemas"]["Operator"][];
            teams: number;
            programs: components["schemas"]["ProgramsAllowed"];
            /** @description PATCHBAY_STDIO_COMMANDS; empty = any command. */
            commands: string[];
            /** @description PATCHBAY_OUTBOUND_ALLOW. */
            hosts: string[];
            /** @description Whether PATCHBAY_OUTBOUND_PROXY names one. */
            proxy: boolean;
            loopback: components["schemas"]["Loopback"];
            /** @description What operators added. */
            allowed: components["schemas"]["Allowance"][];
        };
        /** @description How much is stored in the installation. */
        InstallationStorage: {
            database_bytes: number;
            /** @description On the disk of the data directory. */
            free_mb: number;
            /** @description Ended runs go after so many days; 0 = never. */
            retention_days: number;
            blobs: components["schemas"]["Amount"];
            files: components["schemas"]["Amount"];
            teams_count: number;
            /** @description Largest first, at most 500. */
            teams: components["schemas"]["TeamStorage"][];
        };
        /** @description A process that takes runs. */
        InstallationWorker: {
            name: string;
            /** @description It said within a lease that it is there. */
            alive: boolean;
            running: number;
            capacity: number;
            /**
             * Format: double
             * @description Since it started.
             */
            age_s: number;
            /**
             * Format: double
             * @description Since its last heartbeat.
             */
            seen_s: number;
        };
        /** @description Who works in the installation, and how much there is to do. */
        InstallationWorkers: {
            mode: components["schemas"]["ModeEnum"];
            /**
             * Format: double
             * @description A worker that is silent for longer loses its runs to others.
             */
            lease_s: number;
            limit: number;
            running: number;
            queued: number;
            /** @description For people, timers or other runs; paused ones too. */
            waiting: number;
            /**
             * Format: double
             * @description How long the oldest queued run has waited.
             */
            oldest_s: number | null;
            workers: components["schemas"]["InstallationWorker"][];
        };
        /** @description A question that a run asks a person. */
        Interaction: {
            id: string;
            run: string;
            root_run: string;
            workflow: string;
            workflow_name: string;
            /** @description Of the outermost run, which people started. */
            root_workflow_name: string;
            node: string | null;
            /** @description What the node is called in the run's graph. */
            node_title: string | null;
            step: string | null;
            /**
             * @description `client` = a tool of the client that started the run, which alone answers it.
             *
             *     * `approval` - approval
             *     * `params` - params
             *     * `form` - form
             *     * `elicitation` - elicitation
             *     * `recovery` - recovery
             *     * `budget` - budget
             *     * `server` - server
             *     * `mismatch` - mismatch
             *     * `client` - client
             */
            kind: components["schemas"]["InteractionKindEnum"];
            title: string;
            /**
             * @description Of a recovery: `outcome` = nobody knows how the call ended; `failure` = Patchbay itself failed at the step again and again.
             *
             *     * `outcome` - outcome
             *     * `failure` - failure
             */
            cause: components["schemas"]["CauseEnum"] | components["schemas"]["NullEnum"];
            message: string;
            tool: unknown;
            risk: components["schemas"]["RiskText"] | null;
            schema: unknown;
            proposal: unknown;
            /**
             * Format: date-time
             * @description Of a recovery or mismatch: when the call began that nobody knows the outcome of.
             */
            called_at: string | null;
            /** @description Of a mismatch: its evidence. */
            mismatch: components["schemas"]["Mismatch"] | null;
            started: components["schemas"]["Started"];
            evidence: components["schemas"]["Evidence"];
            /** @description Of the kind server: what it waits for. */
            sign_in: components["schemas"]["WantedSignIn"] | null;
            approval: components["schemas"]["Agreement"];
            assignees: string[];
            /** Format: date-time */
            expires_at: string | null;
            on_expire: components["schemas"]["OnExpireEnum"] | components["schemas"]["NullEnum"];
            state: components["schemas"]["InteractionStateEnum"];
            answer: components["schemas"]["Answer"] | null;
            answered_by: string | null;
            /** Format: date-time */
            answered_at: string | null;
            /** Format: date-time */
            created_at: string;
        };
        /**
         * @description * `approval` - approval
         *     * `params` - params
         *     * `form` - form
         *     * `elicitation` - elicitation
         *     * `recovery` - recovery
         *     * `budget` - budget
         *     * `server` - server
         *     * `mismatch` - mismatch
         *     * `client` - client
         * @enum {string}
         */
        InteractionKindEnum: "approval" | "params" | "form" | "elicitation" | "recovery" | "budget" | "server" | "mismatch" | "client";
        /** @description One page of questions, newest first. */
        InteractionList: {
            results: components["schemas"]["Interaction"][];
            next: string | null;
        };
        /**
         * @description * `open` - Open
         *     * `answered` - Answered
         *     * `expired` - Expired
         *     * `cancelled` - Cancelled
         * @enum {string}
         */
        InteractionStateEnum: "open" | "answered" | "expired" | "cancelled";
        /** @description An invitation; `url` is its link, there only in the answer that makes it. */
        Invitation: {
            id: string;
            role: components["schemas"]["RoleEnum"];
            email: string;
            /** @description E-mail of who invited. */
            created_by: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            expires_at: string;
            url?: string;
        };
        /** @description Accepting an invitation; all but `token` only for who is not signed in. */
        InvitationAcceptRequest: {
            token: string;
            email?: string;
            name?: string;
            password?: string;
            language?: components["schemas"]["LanguageEnum"];
        };
        /** @description Invitations that nobody used, newest first. */
        InvitationList: {
            results: components["schemas"]["Invitation"][];
            next: string | null;
        };
        /** @description An invitation to make; with `email` only that person may use it. */
        InvitationNewRequest: {
            role: components["schemas"]["RoleEnum"];
            email?: string;
            /** @default 7 */
            expires_in_days?: number;
        };
        /**
         * @description What an invitation is for: `email` = whom it is for (blank = whoever has the link), `account` = whether that
         *     person has an account here, `you` = the person signed in, `member` = whether that person is in the team already.
         */
        InvitationSeen: {
            team: string;
            role: components["schemas"]["RoleEnum"];
            invited_by: string;
            /** Format: date-time */
            expires_at: string;
            email: string;
            account: boolean;
            you: string | null;
            member: boolean;
        };
        /** @description The text of an invitation's link. */
        InvitationTextRequest: {
            token: string;
        };
        /** @description A node or edge that differs. */
        ItemChange: {
            id: string;
            fields: string[];
            before: unknown;
            after: unknown;
        };
        /** @description Nodes or edges that came, went and changed; `moved` = only their place. */
        ItemChanges: {
            added: unknown[];
            removed: unknown[];
            changed: components["schemas"]["ItemChange"][];
            moved?: string[];
        };
        /** @description Which step to keep. */
        KeepRequest: {
            /** @description Id of an llm, agent or planner node that has ended. */
            node: string;
        };
        /** @description When a server listed something, and what it allows to be done with that. */
        Kept: {
            /** Format: date-time */
            at: string;
            /** @description For how long it is shown again without asking; 0 = not at all. */
            ttl_ms: number;
            /**
             * @description private: it is shown to nobody else.
             *
             *     * `public` - public
             *     * `private` - private
             */
            scope: components["schemas"]["ScopeEnum"];
        };
        /** @description A turn as it is exported. `parent` = the turn that it goes on from. */
        KeptTurn: {
            id: string;
            parent: string | null;
            text: string;
            files: components["schemas"]["ChatFile"][];
            answer: string | null;
            calls: components["schemas"]["ChatCall"][];
            run: string | null;
            /** Format: date-time */
            created_at: string;
        };
        /** @description A message and what was answered, with its moment. */
        KeptVisitTurn: {
            text: string;
            state: components["schemas"]["VisitStateEnum"];
            /** @description As far as it is known. */
            answer: string | null;
            /** Format: date-time */
            created_at: string;
        };
        /**
         * @description * `required` - required
         *     * `optional` - optional
         *     * `none` - none
         * @enum {string}
         */
        KeyEnum: "required" | "optional" | "none";
        /**
         * @description * `en` - en
         *     * `zh` - zh
         * @enum {string}
         */
        LanguageEnum: "en" | "zh";
        /** @description What a trigger did last, and how its run stands. */
        LastDelivery: {
            /** @description A person has to answer what it asks. */
            waits_for_person: boolean;
            /** @description The front end that started it has to answer calls of its own tools. */
            waits_for_client: boolean;
            /** Format: date-time */
            at: string;
            outcome: components["schemas"]["DeliveryOutcomeEnum"];
            run: string | null;
            run_state: components["schemas"]["RunStateEnum"] | components["schemas"]["NullEnum"];
        };
        /** @description The newest run of a workflow, as lists show it. */
        LastRun: {
            id: string;
            state: components["schemas"]["LastRunStateEnum"];
            /** Format: date-time */
            queued_at: string;
            waits_for_person: boolean;
            waits_for_client: boolean;
        };
        /**
         * @description * `QUEUED` - QUEUED
         *     * `RUNNING` - RUNNING
         *     * `WAITING` - WAITING
         *     * `PAUSED` - PAUSED
         *     * `SUCCESS` - SUCCESS
         *     * `ERROR` - ERROR
         *     * `CANCELLED` - CANCELLED
         * @enum {string}
         */
        LastRunStateEnum: "QUEUED" | "RUNNING" | "WAITING" | "PAUSED" | "SUCCESS" | "ERROR" | "CANCELLED";
        /** @description What a server listed and nobody can call. */
        LeftOut: {
            message: string;
            hint: string;
            /** @description Beginning of its name, or its place in the server's list. */
            tool: string;
        };
        /** @description A server as an MCP registry lists it: somebody else's word. */
        ListedServer: {
            /** @description Unique in its registry; before the slash whose it is. */
            name: string;
            title: string;
            description: string;
            version: string;
            /** @description The namespace that the registry let it be published under. */
            publisher: string;
            /** @description Empty, or an address of the web. */
            repository: string;
            /** @description The same. */
            website: string;
            deprecated: boolean;
            /** @description As the registry says; empty where it does not. */
            updated_at: string;
            ways: components["schemas"]["ListedWay"][];
            /** @description What the import takes: its `server.json`, or `mcpServers`. Empty: none is told. */
            config: string;
        };
        /** @description A page of what an MCP registry lists. */
        ListedServers: {
            results: components["schemas"]["ListedServer"][];
            next: string | null;
        };
        /** @description A way to a listed server. */
        ListedWay: {
            /** @description remote, npm, pypi, oci and so on. */
            kind: string;
            /** @description Its address, or its package at an exact version. */
            target: string;
        };
        /** @description A workflow of a page, with its newest run; null where it never ran. */
        ListedWorkflow: {
            id: string;
            name: string;
            slug: string;
            description: string;
            published_version: number | null;
            expose_as_tool: boolean;
            expose_as_agent: boolean;
            agent_card_public: boolean;
            expose_as_agui: boolean;
            /** @description Publishing demands that the saved tests pass. */
            tests_required: boolean;
            node_count: number;
            /** @description Errors of the draft when it was saved. */
            problem_count: number;
            servers: string[];
            created_by: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            draft: components["schemas"]["DraftInfo"];
            last_run: components["schemas"]["LastRun"] | null;
        };
        /** @description Whether services of the machine itself may be reached, by addresses that an admin typed. */
        Loopback: {
            allowed: boolean;
            /** @description By PATCHBAY_ALLOW_LOOPBACK, which decides then. */
            set: boolean;
            /** @description What counts where nobody says anything. */
            default: boolean;
        };
        /**
         * @description * `added` - added
         *     * `changed` - changed
         * @enum {string}
         */
        MarkEnum: "added" | "changed";
        /** @description The person signed in. */
        Me: {
            id: string;
            /** Format: email */
            email: string;
            name: string;
            language: components["schemas"]["LanguageEnum"];
            theme: components["schemas"]["ThemeEnum"];
            auto_execute: boolean;
            /** @description Whether one is an operator of the installation. */
            operator: boolean;
            team: components["schemas"]["TeamRef"];
            teams: components["schemas"]["TeamRef"][];
        };
        /** @description A member of the team; `two_factor` only for admins to see, null for others. */
        Member: {
            id: string;
            user: string;
            /** Format: email */
            email: string;
            name: string;
            role: components["schemas"]["RoleEnum"];
            /** Format: date-time */
            joined_at: string;
            two_factor: boolean | null;
        };
        /** @description Members, newest first. */
        MemberList: {
            results: components["schemas"]["Member"][];
            next: string | null;
        };
        /** @description One message on the wire, masked. */
        Message: {
            /**
             * Format: double
             * @description Milliseconds since the beginning.
             */
            at_ms: number | null;
            direction: components["schemas"]["DirectionEnum"];
            message?: unknown;
            /** @description What was no message, or one too long to show whole. */
            raw?: string;
            /** @description Instead of both: how HTTP answered what went out before. */
            http?: components["schemas"]["Exchange"];
        };
        /** @description A message. Without `conversation` it begins one. */
        MessageRequest: {
            /** @description Left out only with `replaces`: the words of that turn once more. */
            text?: string;
            /** @description Ids of files. */
            files?: string[];
            conversation?: string | null;
            /** @description A turn of the conversation of which this is another version. */
            replaces?: string | null;
            /**
             * @description A new conversation with the workflow's draft, in which the chat may be off.
             * @default false
             */
            draft?: boolean;
        };
        /** @description What the journal holds, and what was asked for instead. */
        Mismatch: {
            recorded: components["schemas"]["Record"][];
            /** @description Records that are not shown. */
            more: number;
            /** @description Null: the same name was called otherwise. */
            asked: components["schemas"]["Asked"] | null;
        };
        /** @description What a step asked for and nobody recorded. */
        MissingAnswer: {
            target: string;
            arguments: unknown;
            /** @description The arguments for which the same call was answered then. */
            recorded: unknown;
        };
        /**
         * @description * `embedded` - embedded
         *     * `scaled` - scaled
         * @enum {string}
         */
        ModeEnum: "embedded" | "scaled";
        /** @description A model of one of the team's providers. */
        ModelChoiceRequest: {
            provider: string;
            model: string;
        };
        /** @description A model of a provider. */
        ModelName: {
            provider: string;
            model: string;
        };
        /** @description The same, with what of that person's servers is to be added. */
        ModelScopeDeployedRequest: {
            token: string;
            /** @description Ids of servers to add; none = look only. */
            only?: string[];
        };
        /** @description What to look for in ModelScope's list. */
        ModelScopeFindRequest: {
            /**
             * @description Words to find.
             * @default
             */
            q?: string;
            /**
             * @description `next` of the page before.
             *
             *     * `` -
             *     * `2` - 2
             *     * `3` - 3
             *     * `4` - 4
             *     * `5` - 5
             * @default
             */
            cursor?: components["schemas"]["CursorEnum"] | components["schemas"]["BlankEnum"];
        };
        /** @description A server of ModelScope's list. */
        ModelScopeServerRequest: {
            id: string;
        };
        /** @description A person's access token of ModelScope: used for this request, kept nowhere. */
        ModelScopeTokenRequest: {
            token: string;
        };
        /** @description A model that the file names. */
        ModelWant: {
            name: string;
            count: number;
            match: components["schemas"]["ModelName"] | null;
        };
        /** @description A secret or server that the file names. */
        NameWant: {
            name: string;
            /** @description What is used here; empty where it is missing. */
            match: string;
            note: string;
        };
        /** @description A server or a model that a template works with; `preset` = how a missing server is added quickest. */
        Need: {
            name: string;
            kind: components["schemas"]["NeedKindEnum"];
            preset: string;
        };
        /**
         * @description * `server` - server
         *     * `model` - model
         * @enum {string}
         */
        NeedKindEnum: "server" | "model";
        /** @description A version to be used from now on. */
        NewPackageRequest: {
            /** @description The one that is offered. */
            version: string;
        };
        /** @description A new provider: its own fields, or a preset's with the fields that differ. */
        NewProviderRequest: {
            name?: string;
            /** @description Only on creation. */
            slug?: string | null;
            base_url?: string;
            /** @description A key, or ${secret:name}. */
            api_key?: string | null;
            headers?: {
                [key: string]: string;
            } | null;
            secret_headers?: {
                [key: string]: string | null;
            } | null;
            timeout_ms?: number | null;
            connect_timeout_ms?: number | null;
            first_token_timeout_ms?: number | null;
            idle_timeout_ms?: number | null;
            models?: components["schemas"]["ProviderModelInputRequest"][] | null;
            visibility?: components["schemas"]["VisibilityEnum"] | components["schemas"]["NullEnum"];
            credentials?: components["schemas"]["CredentialsEnum"] | components["schemas"]["NullEnum"];
            enabled?: boolean | null;
            preset?: string | null;
        };
        /** @description A new server: its own fields, or `{preset, values: {NAME: value}}` with fields that differ from the preset. */
        NewServerRequest: {
            name?: string;
            /** @description Only on creation. */
            slug?: string | null;
            description?: string | null;
            transport?: components["schemas"]["TransportEnum"];
            url?: string | null;
            url_secret?: boolean | null;
            /** @description Of an API: its OpenAPI document (3.0, 3.1, Swagger 2.0) as JSON or YAML. */
            document?: string;
            /** @description Instead: where it is read, without credentials, when the tools are listed. Of an agent: where its card is read; empty = at the usual path below its address. */
            document_url?: string | null;
            /** Format: date-time */
            expires_at?: string | null;
            command?: string | null;
            args?: string[] | null;
            env?: {
                [key: string]: string;
            } | null;
            secret_env?: {
                [key: string]: string | null;
            } | null;
            cwd?: string | null;
            auth_type?: components["schemas"]["AuthTypeEnum"] | components["schemas"]["NullEnum"];
            api_key?: string | null;
            api_key_header?: string | null;
            /**
             * @description Elsewhere than in a header only of an API.
             *
             *     * `header` - Header
             *     * `query` - Query
             *     * `cookie` - Cookie
             */
            api_key_in?: components["schemas"]["ApiKeyInEnum"] | components["schemas"]["NullEnum"];
            /** @description Only where the authorization server lets no client register itself. */
            oauth_client_id?: (string | null) | string;
            oauth_client_secret?: (string | null) | string;
            /**
             * @description Who signs in: a person (authorization_code), or Patchbay itself (client_credentials).
             *
             *     * `authorization_code` - authorization_code
             *     * `client_credentials` - client_credentials
             */
            oauth_grant?: components["schemas"]["OauthGrantEnum"] | components["schemas"]["NullEnum"];
            /**
             * @description How Patchbay itself proves who it is; empty = a secret, sent as the authorization server takes it.
             *
             *     * `client_secret_basic` - client_secret_basic
             *     * `client_secret_post` - client_secret_post
             *     * `private_key_jwt` - private_key_jwt
             */
            oauth_client_auth?: components["schemas"]["OauthClientAuthEnum"] | components["schemas"]["BlankEnum"] | components["schemas"]["NullEnum"];
            /** @description For private_key_jwt, as PEM: an EC key on P-256 (ES256) or an RSA key (RS256). */
            oauth_private_key?: string | null;
            /** @description What the authorization server calls the key (kid), where it has several. */
            oauth_key_id?: (string | null) | string;
            headers?: {
                [key: string]: string;
            } | null;
            secret_headers?: {
                [key: string]: string | null;
            } | null;
            timeout_ms?: number | null;
            visibility?: components["schemas"]["VisibilityEnum"] | components["schemas"]["NullEnum"];
            enabled?: boolean | null;
            session?: components["schemas"]["SessionEnum"] | components["schemas"]["NullEnum"];
            credentials?: components["schemas"]["CredentialsEnum"] | components["schemas"]["NullEnum"];
            asks?: boolean | null;
            trust_annotations?: boolean | null;
            /** @description So many runs use it at once at most; further ones wait in the queue. null = no limit. */
            max_runs?: number | null;
            /** @description One connection carries so many calls at once at most; further ones wait. null = 64. */
            max_calls?: number | null;
            /**
             * @description What a program is started in; open = in no box, it may do what Patchbay itself may.
             *
             *     * `boxed` - boxed
             *     * `open` - open
             */
            box?: components["schemas"]["ChosenBoxEnum"] | components["schemas"]["NullEnum"];
            /** @description What its box shows of the disk. null = the folders that are plain in its arguments. */
            folders?: components["schemas"]["FolderRequest"][] | null;
            /** @description Off: its box has no network, this machine's own included. */
            network?: boolean | null;
            preset?: string | null;
            values?: {
                [key: string]: string;
            };
        };
        /** @description The servers to switch off, by id or slug; all others are on. */
        NewServersOffRequest: {
            servers: string[];
        };
        /** @description A trigger that was just made, or that got a new address. */
        NewTrigger: {
            id: string;
            workflow: string;
            workflow_name: string;
            kind: components["schemas"]["TriggerKindEnum"];
            name: string;
            enabled: boolean;
            config: unknown;
            /** @description E-mail of the member who switched it on; its runs go in their name. Of a chat and of a members' page null. */
            acts_as: string | null;
            /**
             * @description Why it is off though nobody switched it off.
             *
             *     * `left` - Left
             *     * `role` - Role
             *     * `failures` - Failures
             *     * `restored` - Restored
             */
            off_reason: components["schemas"]["OffReasonEnum"] | components["schemas"]["NullEnum"];
            /** Format: date-time */
            off_at: string | null;
            /** @description The last characters of a webhook's address, or of a page's link. */
            address_end: string | null;
            /** Format: date-time */
            next_at: string | null;
            /** @description A schedule's next five times; also while it is off. */
            next: string[];
            last: components["schemas"]["LastDelivery"] | null;
            created_by: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** @description A webhook's address, or a page's secret link: it is shown this once. */
            url: string | null;
        };
        /** @description A new trigger. */
        NewTriggerRequest: {
            kind: components["schemas"]["TriggerKindEnum"];
            name: string;
            /** @default false */
            enabled?: boolean;
            /** @description By kind: see WebhookConfig, ScheduleConfig, EventConfig, ChatConfig and PageConfig. What is left out has its default. */
            config?: {
                [key: string]: unknown;
            };
        };
        /**
         * @description A new workflow; its name suffices, and with a template not even that.
         *
         *     `uses` fits the template to the team: `{name of a needed server: slug, "provider": slug, "model": id}`.
         *     What such a server was set up with by its preset, such as its folder, is proposed in the run form.
         */
        NewWorkflowRequest: {
            name?: string;
            /** @default  */
            description?: string;
            graph?: unknown;
            template?: string;
            uses?: {
                [key: string]: string;
            };
        };
        /** @description The new workflow and what is wrong with its draft. */
        NewlyImported: {
            id: string;
            name: string;
            slug: string;
            description: string;
            published_version: number | null;
            expose_as_tool: boolean;
            expose_as_agent: boolean;
            agent_card_public: boolean;
            expose_as_agui: boolean;
            /** @description Publishing demands that the saved tests pass. */
            tests_required: boolean;
            node_count: number;
            /** @description Errors of the draft when it was saved. */
            problem_count: number;
            servers: string[];
            created_by: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            draft: components["schemas"]["Draft"];
            problems: components["schemas"]["Problem"][];
        };
        /** @description A type of node: its form, its outputs, its ports. */
        NodeType: {
            type: string;
            v: number;
            group: string;
            title: string;
            description: string;
            config_schema: unknown;
            output_schema: unknown;
            ports: components["schemas"]["Ports"];
            dynamic_ports: boolean;
            effect: string;
        };
        /** @description All node types, in the order of the palette. */
        NodeTypeList: {
            results: components["schemas"]["NodeType"][];
            next: string | null;
        };
        NullEnum: null;
        /**
         * @description * `client_secret_basic` - client_secret_basic
         *     * `client_secret_post` - client_secret_post
         *     * `private_key_jwt` - private_key_jwt
         * @enum {string}
         */
        OauthClientAuthEnum: "client_secret_basic" | "client_secret_post" | "private_key_jwt";
        /**
         * @description * `authorization_code` - authorization_code
         *     * `client_credentials` - client_credentials
         * @enum {string}
         */
        OauthGrantEnum: "authorization_code" | "client_credentials";
        /**
         * @description * `tool` - tool
         *     * `arguments` - arguments
         * @enum {string}
         */
        OfEnum: "tool" | "arguments";
        /**
         * @description * `left` - Left
         *     * `role` - Role
         *     * `failures` - Failures
         *     * `restored` - Restored
         * @enum {string}
         */
        OffReasonEnum: "left" | "role" | "failures" | "restored";
        /** @description A workflow as a tool of MCP clients. What its nodes may do is worked out from the published version. */
        Offer: {
            /** @description Whether it is to be offered; set by `PATCH /api/workflows/{id}`. */
            offered: boolean;
            /** @description Where MCP clients connect, with a member's token. */
            url: string;
            /** @description The tool's name: the workflow's slug. */
            name: string;
            /** @description What a model reads before it calls the tool, at most 1,024 characters of it. */
            description: string;
            /** @description What a call runs; null = nothing is published yet, so nothing is offered. */
            version: number | null;
            /** @description False where the published version can no longer be run here. */
            runnable: boolean;
            /** @description Nothing that it does changes anything. */
            read_only: boolean;
            /** @description It may delete or undo what there is. */
            destructive: boolean;
            /** @description A node of it asks a person. */
            asks_person: boolean;
            /** @description Its latest calls, newest first. */
            calls: components["schemas"]["OfferedCall"][];
        };
        /** @description A workflow as an agent that speaks A2A. */
        OfferedAgent: {
            /** @description Whether it is to be offered; set by `PATCH /api/workflows/{id}`. */
            offered: boolean;
            /** @description Whether its card is read without signing in. Messages always need a token. */
            public: boolean;
            /** @description Where clients send messages, with a member's token. */
            url: string;
            /** @description Where the agent's card stands. */
            card_url: string;
            /** @description What a message runs; null = nothing is published yet, so nothing is offered. */
            version: number | null;
            /** @description False where the published version can no longer be run here. */
            runnable: boolean;
            /** @description Whether a message of text alone says what it needs; else it needs data. */
            takes_text: boolean;
            /** @description The media types that its messages may have. */
            input_modes: string[];
            /** @description Whether its contexts are conversations of the workflow's chat. */
            chat: boolean;
            /** @description The latest tasks that it was given, newest first. */
            calls: components["schemas"]["OfferedCall"][];
        };
        /** @description A run that a client started. */
        OfferedCall: {
            /** @description A person has to answer what it asks. */
            waits_for_person: boolean;
            /** @description The front end that started it has to answer calls of its own tools. */
            waits_for_client: boolean;
            run: string;
            /** @description E-mail of the member whose token it was. */
            by: string | null;
            /** @description The program that called; null for runs of a browser. */
            caller: components["schemas"]["Caller"] | null;
            state: components["schemas"]["RunStateEnum"];
            /** Format: date-time */
            at: string;
            /** Format: date-time */
            finished_at: string | null;
        };
        /**
         * @description * `resource` - resource
         *     * `template` - template
         *     * `prompt` - prompt
         * @enum {string}
         */
        OfferedEnum: "resource" | "template" | "prompt";
        /**
         * @description * `decline` - decline
         *     * `fail` - fail
         * @enum {string}
         */
        OnExpireEnum: "decline" | "fail";
        /** @description An operator. */
        Operator: {
            email: string;
            name: string;
            /** @description By manage.py operator; else an owner of the only team. */
            named: boolean;
        };
        /** @description The original as it is pinned in the registry; of a workflow as it is published. */
        Original: {
            name: string;
            title: string;
            description: string;
            input_schema: {
                [key: string]: unknown;
            } | null;
            /** Format: date-time */
            pinned_at: string | null;
        };
        /** @description Open questions of the kind recovery that came one soon after the other. */
        Outage: {
            id: string;
            count: number;
            /** Format: date-time */
            first_at: string;
            /** Format: date-time */
            last_at: string;
            parts: components["schemas"]["OutagePart"][];
        };
        /** @description All of them, the last one first. */
        OutageList: {
            results: components["schemas"]["Outage"][];
        };
        /** @description The questions about one thing: a workflow, and in it a tool of a server (null where it was no tool). */
        OutagePart: {
            workflow: string;
            workflow_name: string;
            server: string | null;
            tool: string | null;
            title: string;
            message: string;
            count: number;
            questions: components["schemas"]["OutageQuestion"][];
        };
        /** @description One of the questions. */
        OutageQuestion: {
            id: string;
            run: string;
            node: string | null;
            /** @description What the node is called in the run's graph. */
            node_title: string;
            /** @description What the call was given, in a line, cut short. */
            arguments: string;
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description When the call began; null where the log does not hold it any more.
             */
            called_at: string | null;
        };
        /**
         * @description * `done` - done
         *     * `failed` - failed
         *     * `unknown` - unknown
         * @enum {string}
         */
        OutcomeEnum: "done" | "failed" | "unknown";
        /** @description What the reader entered for themself, where credentials are "user". Values are never read back. */
        OwnCredentials: {
            state: components["schemas"]["OwnStateEnum"];
            slots: components["schemas"]["OwnSlot"][];
            /** Format: date-time */
            updated_at: string | null;
        };
        /** @description One secret that each member enters for themself, as it is read: whether it is set, and its last characters. */
        OwnSlot: {
            kind: components["schemas"]["OwnSlotKindEnum"];
            /** @description Of the header or variable; empty for the key. */
            name: string;
            set: boolean;
            hint: string;
            required: boolean;
        };
        /**
         * @description * `api_key` - api_key
         *     * `header` - header
         *     * `env` - env
         * @enum {string}
         */
        OwnSlotKindEnum: "api_key" | "header" | "env";
        /**
         * @description * `set` - set
         *     * `missing` - missing
         * @enum {string}
         */
        OwnStateEnum: "set" | "missing";
        /** @description The package that `npx` or `uvx` names, at the exact version that is started. */
        Package: {
            /** @description Installed in a step of its own, and started by itself. Off: npx or uvx runs at every start. */
            managed: boolean;
            name: string;
            /** @description Empty = not installed yet. */
            version: string;
            /** @description Digest of its archive (npm), or those of its files (PyPI). */
            integrity: string;
            /** Format: date-time */
            pinned_at: string | null;
            /**
             * Format: date-time
             * @description When it was last asked for a newer version.
             */
            looked_at: string | null;
            /** @description A newer version; used once an admin accepts it. */
            offered: string;
        };
        /** @description What a page says before anything is sent. */
        Page: {
            title: string;
            text: string;
            show: components["schemas"]["ShowEnum"];
            /** @description The schema of the form; of a chat null. */
            inputs: {
                [key: string]: unknown;
            } | null;
            /**
             * Format: double
             * @description The files of a form together may have so many MB.
             */
            files_mb: number;
        };
        /** @description A conversation on a page, without what was said: that is of whoever has its key. */
        PageTalk: {
            id: string;
            /** @description That are kept: those whose runs were deleted are not counted. */
            messages: number;
            /** @description Whether one of them has no answer yet. */
            going: boolean;
            /**
             * Format: double
             * @description Of the runs of these messages, and of those below them that ended.
             */
            cost: number;
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description When something was written last.
             */
            updated_at: string;
        };
        /** @description One page of conversations, the latest first. */
        PageTalkList: {
            results: components["schemas"]["PageTalk"][];
            next: string | null;
        };
        /** @description A passkey. */
        Passkey: {
            id: string;
            name: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            last_used_at: string | null;
        };
        /** @description What the browser answered: a credential's `toJSON()`. */
        PasskeyAnswerRequest: {
            credential: {
                [key: string]: unknown;
            };
        };
        /** @description One's passkeys. */
        PasskeyList: {
            results: components["schemas"]["Passkey"][];
            next: string | null;
        };
        /** @description What the browser made: a credential's `toJSON()`. */
        PasskeyNewRequest: {
            name: string;
            credential: {
                [key: string]: unknown;
            };
        };
        /** @description What `navigator.credentials` is called with, as its `parse…OptionsFromJSON` read it. */
        PasskeyOptions: {
            options: {
                [key: string]: unknown;
            };
        };
        /** @description A new password, with the present one where there is one. */
        PasswordChangeRequest: {
            /** @default  */
            current_password?: string;
            new_password: string;
            /**
             * @description Else one's API tokens, of all teams, end with the old password.
             * @default false
             */
            keep_tokens?: boolean;
        };
        /** @description What clients see; `description` null = as the original has it. */
        PatchedCollectionContentPatchRequest: {
            name?: string;
            description?: string | null;
        };
        /** @description What may change; `description` null = none. */
        PatchedCollectionPatchRequest: {
            name?: string;
            /** @description With it the address changes, for all clients. */
            slug?: string;
            description?: string | null;
            enabled?: boolean;
        };
        /** @description What clients see; null = as the original has it. */
        PatchedCollectionToolPatchRequest: {
            name?: string;
            description?: string | null;
        };
        /** @description What changes of a conversation. */
        PatchedConversationChangesRequest: {
            title?: string;
            /** @description A turn that is to be shown, with what followed it last. */
            shown?: string;
        };
        /** @description What one may change about oneself. */
        PatchedMeChangeRequest: {
            name?: string;
            language?: components["schemas"]["LanguageEnum"];
            theme?: components["schemas"]["ThemeEnum"];
            auto_execute?: boolean;
        };
        /** @description What may be changed about a member. */
        PatchedMemberChangeRequest: {
            role?: components["schemas"]["RoleEnum"];
        };
        /** @description One's own key and secret headers. Absent is unchanged, null or empty removes. */
        PatchedOwnKeysRequest: {
            api_key?: string | null;
            secret_headers?: {
                [key: string]: string | null;
            } | null;
        };
        /** @description One's own credentials at a server. Absent is unchanged, null or empty removes. */
        PatchedOwnServerKeysRequest: {
            api_key?: string | null;
            secret_headers?: {
                [key: string]: string | null;
            } | null;
            secret_env?: {
                [key: string]: string | null;
            } | null;
        };
        /** @description A policy for all of a server's tools of one kind. */
        PatchedPoliciesRequest: {
            /**
             * @description read: those that only read; write: all others; high_risk: of high risk, as destructive ones are.
             *
             *     * `read` - read
             *     * `write` - write
             *     * `high_risk` - high_risk
             */
            which?: components["schemas"]["WhichEnum"];
            /**
             * @description auto = by the rules.
             *
             *     * `auto` - auto
             *     * `allow` - allow
             *     * `ask` - ask
             *     * `deny` - deny
             */
            policy?: components["schemas"]["PolicyEnum"];
        };
        /** @description A provider as a person writes it. On PATCH an absent field is unchanged and null removes it. */
        PatchedProviderInputRequest: {
            name?: string;
            /** @description Only on creation. */
            slug?: string | null;
            base_url?: string;
            /** @description A key, or ${secret:name}. */
            api_key?: string | null;
            headers?: {
                [key: string]: string;
            } | null;
            secret_headers?: {
                [key: string]: string | null;
            } | null;
            timeout_ms?: number | null;
            connect_timeout_ms?: number | null;
            first_token_timeout_ms?: number | null;
            idle_timeout_ms?: number | null;
            models?: components["schemas"]["ProviderModelInputRequest"][] | null;
            visibility?: components["schemas"]["VisibilityEnum"] | components["schemas"]["NullEnum"];
            credentials?: components["schemas"]["CredentialsEnum"] | components["schemas"]["NullEnum"];
            enabled?: boolean | null;
        };
        /** @description A new value or new hosts. */
        PatchedSecretChangeRequest: {
            value?: string;
            hosts?: string[];
        };
        /** @description A server as a person writes it. On PATCH an absent field is unchanged and null removes it. */
        PatchedServerInputRequest: {
            name?: string;
            /** @description Only on creation. */
            slug?: string | null;
            description?: string | null;
            transport?: components["schemas"]["TransportEnum"];
            url?: string | null;
            url_secret?: boolean | null;
            /** @description Of an API: its OpenAPI document (3.0, 3.1, Swagger 2.0) as JSON or YAML. */
            document?: string;
            /** @description Instead: where it is read, without credentials, when the tools are listed. Of an agent: where its card is read; empty = at the usual path below its address. */
            document_url?: string | null;
            /** Format: date-time */
            expires_at?: string | null;
            command?: string | null;
            args?: string[] | null;
            env?: {
                [key: string]: string;
            } | null;
            secret_env?: {
                [key: string]: string | null;
            } | null;
            cwd?: string | null;
            auth_type?: components["schemas"]["AuthTypeEnum"] | components["schemas"]["NullEnum"];
            api_key?: string | null;
            api_key_header?: string | null;
            /**
             * @description Elsewhere than in a header only of an API.
             *
             *     * `header` - Header
             *     * `query` - Query
             *     * `cookie` - Cookie
             */
            api_key_in?: components["schemas"]["ApiKeyInEnum"] | components["schemas"]["NullEnum"];
            /** @description Only where the authorization server lets no client register itself. */
            oauth_client_id?: (string | null) | string;
            oauth_client_secret?: (string | null) | string;
            /**
             * @description Who signs in: a person (authorization_code), or Patchbay itself (client_credentials).
             *
             *     * `authorization_code` - authorization_code
             *     * `client_credentials` - client_credentials
             */
            oauth_grant?: components["schemas"]["OauthGrantEnum"] | components["schemas"]["NullEnum"];
            /**
             * @description How Patchbay itself proves who it is; empty = a secret, sent as the authorization server takes it.
             *
             *     * `client_secret_basic` - client_secret_basic
             *     * `client_secret_post` - client_secret_post
             *     * `private_key_jwt` - private_key_jwt
             */
            oauth_client_auth?: components["schemas"]["OauthClientAuthEnum"] | components["schemas"]["BlankEnum"] | components["schemas"]["NullEnum"];
            /** @description For private_key_jwt, as PEM: an EC key on P-256 (ES256) or an RSA key (RS256). */
            oauth_private_key?: string | null;
            /** @description What the authorization server calls the key (kid), where it has several. */
            oauth_key_id?: (string | null) | string;
            headers?: {
                [key: string]: string;
            } | null;
            secret_headers?: {
                [key: string]: string | null;
            } | null;
            timeout_ms?: number | null;
            visibility?: components["schemas"]["VisibilityEnum"] | components["schemas"]["NullEnum"];
            enabled?: boolean | null;
            session?: components["schemas"]["SessionEnum"] | components["schemas"]["NullEnum"];
            credentials?: components["schemas"]["CredentialsEnum"] | components["schemas"]["NullEnum"];
            asks?: boolean | null;
            trust_annotations?: boolean | null;
            /** @description So many runs use it at once at most; further ones wait in the queue. null = no limit. */
            max_runs?: number | null;
            /** @description One connection carries so many calls at once at most; further ones wait. null = 64. */
            max_calls?: number | null;
            /**
             * @description What a program is started in; open = in no box, it may do what Patchbay itself may.
             *
             *     * `boxed` - boxed
             *     * `open` - open
             */
            box?: components["schemas"]["ChosenBoxEnum"] | components["schemas"]["NullEnum"];
            /** @description What its box shows of the disk. null = the folders that are plain in its arguments. */
            folders?: components["schemas"]["FolderRequest"][] | null;
            /** @description Off: its box has no network, this machine's own included. */
            network?: boolean | null;
        };
        /** @description What an admin may change about the team. */
        PatchedTeamChangeRequest: {
            name?: string;
            /** @description Of prices, costs and budgets (ISO 4217). Nothing is converted. */
            currency?: string;
            /** @description Who has none sets it up before anything else; until then their tokens stop. */
            second_factor?: boolean;
            /** @description Hosts to which HTTP requests go unasked though an expression gives them; *.example.org too. */
            request_hosts?: string[];
            budget?: components["schemas"]["BudgetRequest"];
        };
        /** @description What an admin decides about a tool; null = by the rules. */
        PatchedToolPatchRequest: {
            policy?: components["schemas"]["PolicyEnum"] | components["schemas"]["NullEnum"];
            risk?: components["schemas"]["RiskLevelEnum"] | components["schemas"]["NullEnum"];
            effect?: components["schemas"]["EffectEnum"] | components["schemas"]["NullEnum"];
            /**
             * @description Who must agree where a call asks. 409 where the team has not so many people who may approve.
             *
             *     * `anyone` - anyone
             *     * `not_starter` - not_starter
             *     * `two_people` - two_people
             *     * `two_others` - two_others
             */
            approvers?: components["schemas"]["ApproversEnum"] | components["schemas"]["NullEnum"];
        };
        /** @description What changes. Who sets `enabled` to true is the member in whose name its runs go. */
        PatchedTriggerChangesRequest: {
            name?: string;
            enabled?: boolean;
            /** @description By kind: see WebhookConfig, ScheduleConfig, EventConfig, ChatConfig and PageConfig. What is left out has its default. Only the settings named change. */
            config?: {
                [key: string]: unknown;
            };
        };
        /** @description What may change besides the graph. */
        PatchedWorkflowPatchRequest: {
            name?: string;
            description?: string | null;
            expose_as_tool?: boolean | null;
            expose_as_agent?: boolean | null;
            agent_card_public?: boolean | null;
            expose_as_agui?: boolean | null;
            tests_required?: boolean | null;
        };
        /** @description Where a run of the team stands in the queue. */
        Place: {
            run: string;
            /** @description 1 = next; null for one that waits for another run of its workflow. */
            position: number | null;
            /** @description The server at which it waits for a place; empty where that is private to somebody else. */
            server: string | null;
            /** @description The run that has the place of the workflow's concurrency key that it waits for. */
            busy: string | null;
        };
        /**
         * @description * `` -
         *     * `header` - header
         *     * `query` - query
         *     * `cookie` - cookie
         * @enum {string}
         */
        PlaceEnum: "header" | "query" | "cookie";
        /** @description What setting the policies of many tools came to. */
        PoliciesSet: {
            /** @description How many of the server's tools are of that kind. */
            total: number;
            /** @description How many of them had another policy before. */
            changed: number;
        };
        /**
         * @description * `auto` - auto
         *     * `allow` - allow
         *     * `ask` - ask
         *     * `deny` - deny
         * @enum {string}
         */
        PolicyEnum: "auto" | "allow" | "ask" | "deny";
        /** @description Names of the ports of a node type. */
        Ports: {
            in: string[];
            out: string[];
        };
        /**
         * @description A place of a run that may have written after the backup; the backup cannot say whether it did.
         *
         *     `began`: the call was under way when the backup was made. `ahead`: its step had not ended then.
         */
        PossibleWrite: {
            /** @description The run in which it is: this one or one below it. */
            run: string;
            /** @description The name of that run's workflow, where it is below. */
            workflow: string;
            node: string;
            title: string;
            /** @description "" = known only when it runs. */
            server: string | null;
            /** @description Empty: any tool of the server. */
            tools: string[];
            how: components["schemas"]["HowEnum"];
            /** @description Of a call that had begun. */
            arguments: unknown;
            /**
             * Format: date-time
             * @description When that call began.
             */
            at: string | null;
        };
        /** @description A ready configuration that lacks only what `secrets` and `inputs` name. */
        Preset: {
            id: string;
            kind: components["schemas"]["PresetKindEnum"];
            name: components["schemas"]["Words"];
            description: components["schemas"]["Words"];
            transport: components["schemas"]["TransportEnum"];
            url?: string;
            command?: string;
            args?: string[];
            modelscope_id?: string;
            /** @description A page that says more. */
            page?: string;
            secrets: components["schemas"]["PresetField"][];
            inputs: components["schemas"]["PresetField"][];
            tools: string[];
            /** @description False where this installation starts no programs. */
            available: boolean;
        };
        /** @description A value that a preset asks for. `in` says where it goes; only `arg` is no secret. */
        PresetField: {
            in: components["schemas"]["InEnum"];
            name: string;
            placeholder?: string;
            label: components["schemas"]["Words"];
            required: boolean;
        };
        /**
         * @description * `modelscope` - modelscope
         *     * `reference` - reference
         *     * `custom` - custom
         * @enum {string}
         */
        PresetKindEnum: "modelscope" | "reference" | "custom";
        /** @description All presets. */
        PresetList: {
            results: components["schemas"]["Preset"][];
            next: string | null;
        };
        /** @description What the picture of a template shows. */
        Preview: {
            nodes: components["schemas"]["PreviewNode"][];
            edges: components["schemas"]["PreviewEdge"][];
        };
        /** @description An edge in the picture of a template. */
        PreviewEdge: {
            source: string;
            target: string;
        };
        /** @description A node in the picture of a template. */
        PreviewNode: {
            id: string;
            type: string;
            server: string;
            parent: string | null;
            /** Format: double */
            x: number;
            /** Format: double */
            y: number;
        };
        /**
         * @description * `delete` - delete
         *     * `hand_over` - hand_over
         * @enum {string}
         */
        PrivateEnum: "delete" | "hand_over";
        /** @description What becomes of the member's private servers and providers. */
        PrivateRequest: {
            /** @default delete */
            private?: components["schemas"]["PrivateEnum"];
        };
        /** @description Something in a document that keeps it from running, or may surprise. */
        Problem: {
            code: string;
            severity: components["schemas"]["SeverityEnum"];
            node?: string;
            edge?: string;
            /** @description JSON pointer into the document. */
            path: string;
            message: string;
            hint: string;
            params: unknown;
        };
        /** @description A program that a team wants started on this machine. */
        Program: {
            id: string;
            /** @description Of the whole configuration; the decision is about exactly that. */
            hash: string;
            name: string;
            team: components["schemas"]["ProgramTeam"];
            command: string;
            /** @description Secrets in them are hidden. */
            args: string[];
            /** @description Names of the variables that it sets. */
            env: string[];
            cwd: string;
            /** @description What was decided about its box: {box, folders, network}, as far as it differs from what all get. */
            box: unknown;
            /** @description Where a new version is asked about: the package and that version, else empty. */
            package: string;
            concerns: components["schemas"]["Concern"][];
            asked_for: components["schemas"]["AskedForEnum"];
            state: components["schemas"]["ProgramStateEnum"];
            basis: components["schemas"]["ProgramBasisEnum"] | components["schemas"]["NullEnum"];
            requested_by: string | null;
            decided_by: string | null;
            /** Format: date-time */
            decided_at: string | null;
            /** Format: date-time */
            created_at: string;
        };
        /**
         * @description * `operator` - Operator
         *     * `earlier` - Earlier
         *     * `included` - Included
         * @enum {string}
         */
        ProgramBasisEnum: "operator" | "earlier" | "included";
        /** @description How many programs there are, whatever is searched for; `decided`: by a person; `teams`: that ask. */
        ProgramCounts: {
            waiting: number;
            approved: number;
            rejected: number;
            decided: number;
            teams: number;
        };
        /** @description A page of programs. */
        ProgramList: {
            results: components["schemas"]["Program"][];
            next: string | null;
            /** @description null on the pages that follow the first. */
            counts: components["schemas"]["ProgramCounts"] | null;
        };
        /**
         * @description * `waiting` - Waiting
         *     * `approved` - Approved
         *     * `rejected` - Rejected
         * @enum {string}
         */
        ProgramStateEnum: "waiting" | "approved" | "rejected";
        /** @description The team that asks. */
        ProgramTeam: {
            id: string;
            name: string;
        };
        /** @description Whether stdio servers may be started here. */
        ProgramsAllowed: {
            allowed: boolean;
            /** @description By PATCHBAY_ALLOW_STDIO. */
            set: boolean;
        };
        /** @description A prompt, as its server describes it. */
        Prompt: {
            /**
             * @description Since it was accepted; null = nothing.
             *
             *     * `added` - added
             *     * `changed` - changed
             */
            change: components["schemas"]["MarkEnum"] | components["schemas"]["NullEnum"];
            name: string;
            title: string | null;
            description: string | null;
            arguments: components["schemas"]["PromptArgument"][];
        };
        /** @description An argument of a prompt. */
        PromptArgument: {
            name: string;
            description: string | null;
            required: boolean;
        };
        /** @description A prompt that was filled, and the raw messages around it. */
        PromptFilled: {
            description: string | null;
            results: components["schemas"]["PromptMessage"][];
            /** Format: double */
            ms: number;
            messages: components["schemas"]["Message"][];
        };
        /** @description Which prompt to fill, and with what. */
        PromptGetRequest: {
            prompt: string;
            arguments?: {
                [key: string]: string;
            };
        };
        /** @description A page of a server's prompts, as it describes them. */
        PromptList: {
            /** @description At most 200. */
            changes: components["schemas"]["ContentChange"][];
            /** @description How many changed, also those that are not shown. */
            changed: number;
            results: components["schemas"]["Prompt"][];
            next: string | null;
            total: number;
            kept: components["schemas"]["Kept"];
        };
        /** @description A message of a prompt that was filled. */
        PromptMessage: {
            /** @description user or assistant. */
            role: string;
            content: unknown;
        };
        /** @description One's password, as proof. */
        ProofRequest: {
            /** @default  */
            password?: string;
        };
        /** @description An OpenAI-compatible endpoint. Secrets are never read back. */
        Provider: {
            id: string;
            name: string;
            slug: string;
            preset: string;
            base_url: string;
            api_key_set: boolean;
            api_key_hint: string;
            headers: {
                [key: string]: string;
            };
            secret_headers: {
                [key: string]: components["schemas"]["SecretState"];
            };
            timeout_ms: number;
            connect_timeout_ms: number;
            first_token_timeout_ms: number;
            idle_timeout_ms: number;
            models: components["schemas"]["ProviderModel"][];
            visibility: components["schemas"]["VisibilityEnum"];
            credentials: components["schemas"]["CredentialsEnum"];
            /** @description What you entered for yourself; null where credentials are shared. */
            own_credentials: components["schemas"]["OwnCredentials"] | null;
            enabled: boolean;
            status: components["schemas"]["ProviderStatus"];
            created_by: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        /** @description A page of providers. */
        ProviderList: {
            results: components["schemas"]["Provider"][];
            next: string | null;
        };
        /** @description A model of a provider. Prices are per million tokens; null = not known. */
        ProviderModel: {
            id: string;
            /** Format: double */
            input_price: number | null;
            /** Format: double */
            cached_price?: number | null;
            /** Format: double */
            output_price: number | null;
            features: ("tools" | "vision" | "json_schema" | "reasoning")[] | null;
            context: number | null;
        };
        /** @description A model of a provider. Prices are per million tokens; null = not known. */
        ProviderModelInputRequest: {
            id: string;
            /** Format: double */
            input_price?: number | null;
            /**
             * Format: double
             * @description Of cached input; null = as other input.
             */
            cached_price?: number | null;
            /** Format: double */
            output_price?: number | null;
            /** @description What the model can do; null = nobody said, so everything is tried. */
            features?: ("tools" | "vision" | "json_schema" | "reasoning")[] | null;
            context?: number | null;
        };
        /** @description The models that an endpoint lists now, as it describes them. */
        ProviderModelList: {
            results: components["schemas"]["ProviderModel"][];
            next: string | null;
        };
        /** @description A ready provider that lacks only a key. */
        ProviderPreset: {
            id: string;
            name: components["schemas"]["Words"];
            description: components["schemas"]["Words"];
            base_url: string;
            key: components["schemas"]["KeyEnum"];
            /** @description Where to get a key. */
            key_page: string;
            /** @description A page that says more. */
            page: string;
            /** @description A model server on this machine. */
            local: boolean;
            /** @description It runs now (only with ?look=1). */
            found: boolean;
            /** @description What a running one has. */
            models: string[];
            /** @description Models that the preset knows; a new provider gets them. */
            catalogue: components["schemas"]["ProviderModel"][];
            /** @description The day on which models and prices were read (ISO). */
            read: string;
            /** @description Of the catalogue's prices. */
            currency: string;
            /** @description Where the service says its prices. */
            prices_page: string;
        };
        /** @description All presets. */
        ProviderPresetList: {
            results: components["schemas"]["ProviderPreset"][];
            next: string | null;
        };
        /** @description One stage of a test; `ok` null = not reached, or not offered (then `message` says so and `code` is null). */
        ProviderStage: {
            name: components["schemas"]["ProviderStageNameEnum"];
            ok: boolean | null;
            /** Format: double */
            ms: number;
            detail: unknown;
            code: string | null;
            message: string;
            hint: string;
        };
        /**
         * @description * `url` - url
         *     * `dns` - dns
         *     * `tcp` - tcp
         *     * `tls` - tls
         *     * `http` - http
         *     * `auth` - auth
         *     * `models` - models
         *     * `chat` - chat
         *     * `stream` - stream
         *     * `tools` - tools
         * @enum {string}
         */
        ProviderStageNameEnum: "url" | "dns" | "tcp" | "tls" | "http" | "auth" | "models" | "chat" | "stream" | "tools";
        /** @description What the last test found. */
        ProviderStatus: {
            state: components["schemas"]["ConnectionStateEnum"];
            code: string | null;
            message: string;
            hint: string;
            /** Format: date-time */
            checked_at: string | null;
            /** Format: double */
            latency_ms: number | null;
            /** @description The model that was tried. */
            model: string | null;
            model_count: number | null;
        };
        /** @description A test of a provider: every stage with its time; the first that failed says why and what to do. */
        ProviderTest: {
            ok: boolean;
            stages: components["schemas"]["ProviderStage"][];
            code: string | null;
            message: string;
            hint: string;
            /** Format: double */
            ms: number;
            /** @description The model that was tried. */
            model: string;
            models: components["schemas"]["ProviderModel"][];
            /** @description What the model showed. */
            features: components["schemas"]["FeaturesEnum"][];
        };
        /** @description What is new in the next version; or `version`, an earlier one to be published again as it stands. */
        PublishInputRequest: {
            /** @default  */
            note?: string;
            version?: number | null;
        };
        /**
         * @description * `first_owner` - first_owner
         *     * `sign_in` - sign_in
         * @enum {string}
         */
        PurposeEnum: "first_owner" | "sign_in";
        /** @description The installation's queue. `runs` names the team's own, the next first. */
        Queue: {
            /** @description Runs that may go on at the same time. */
            limit: number;
            running: number;
            queued: number;
            /**
             * Format: double
             * @description How long the next one has waited, seconds.
             */
            oldest_s: number | null;
            runs: components["schemas"]["Place"][];
            workers: components["schemas"]["Worker"][];
        };
        /** @description A tool's result that the model had read before it chose the call. */
        Read: {
            server: string;
            tool: string;
            characters: number;
            excerpt: string;
        };
        /** @description What a balancer wants to know, and what is missing where it is told no. */
        Ready: {
            status: components["schemas"]["HealthStatusEnum"];
            version: string;
            mode: components["schemas"]["ModeEnum"];
            checks: components["schemas"]["Checks"];
            /** @description Of the data directory's disk. */
            free_mb: number;
            /** @description Null: no such limit. */
            free_inodes: number | null;
            /**
             * Format: double
             * @description Age of the oldest run that waits for a place; null without a database. Told only.
             */
            queue_lag_s: number | null;
        };
        /**
         * @description * `` -
         *     * `decided` - decided
         *     * `undecided` - undecided
         *     * `trusted_command` - trusted_command
         *     * `machine` - machine
         * @enum {string}
         */
        ReasonEnum: "decided" | "undecided" | "trusted_command" | "machine";
        /** @description A call that a run's journal holds. */
        Record: {
            node: string;
            /** @description Rounds around the node, outermost first. */
            path: components["schemas"]["Frame"][];
            attempt: number;
            /** @description Its name within the step. */
            key: string;
            /** @description `{server, name}` of a tool call. */
            tool: unknown;
            /** @description Of a tool call, where they are not large. */
            arguments: unknown;
            /** Format: date-time */
            at: string | null;
            /** @description Whether its result was stored. */
            ended: boolean;
            /** @description Code of the error that it ended with. */
            error: string | null;
            /** @description The version of Patchbay that wrote it; null: one that did not say. */
            version: string | null;
        };
        /** @description Codes that each sign in once in place of the app's; never shown again. */
        RecoveryCodes: {
            codes: string[];
        };
        /**
         * @description * `once` - once
         *     * `run` - run
         *     * `tool` - tool
         *     * `arguments` - arguments
         * @enum {string}
         */
        RememberEnum: "once" | "run" | "tool" | "arguments";
        /**
         * @description * `write` - write
         *     * `idempotent` - idempotent
         * @enum {string}
         */
        RepeatedEffectEnum: "write" | "idempotent";
        /** @description A resource, as its server describes it. */
        Resource: {
            /**
             * @description Since it was accepted; null = nothing.
             *
             *     * `added` - added
             *     * `changed` - changed
             */
            change: components["schemas"]["MarkEnum"] | components["schemas"]["NullEnum"];
            uri: string;
            name: string;
            title: string | null;
            description: string | null;
            mime_type: string | null;
            size: number | null;
        };
        /** @description A page of a server's resources, and with the first one its templates, as it describes them. */
        ResourceList: {
            /** @description At most 200. */
            changes: components["schemas"]["ContentChange"][];
            /** @description How many changed, also those that are not shown. */
            changed: number;
            results: components["schemas"]["Resource"][];
            templates: components["schemas"]["ResourceTemplate"][];
            next: string | null;
            total: number;
            kept: components["schemas"]["Kept"];
        };
        /** @description What stands in a resource, and the raw messages around it. */
        ResourceRead: {
            /** @description As it was asked for; of a template, what it became. */
            uri: string;
            /** @description A block of the type `resource` for each of its contents. */
            content: unknown[];
            /** Format: double */
            ms: number;
            messages: components["schemas"]["Message"][];
        };
        /** @description Which resource to read. */
        ResourceReadRequest: {
            /** @description A resource that the server lists, or one of its templates. */
            uri: string;
            /** @description Values for a template's variables. */
            arguments?: {
                [key: string]: unknown;
            };
        };
        /** @description A template of resources, as its server describes it. */
        ResourceTemplate: {
            /**
             * @description Since it was accepted; null = nothing.
             *
             *     * `added` - added
             *     * `changed` - changed
             */
            change: components["schemas"]["MarkEnum"] | components["schemas"]["NullEnum"];
            uri_template: string;
            name: string;
            title: string | null;
            description: string | null;
            mime_type: string | null;
            /** @description null where it cannot be read. */
            variables: components["schemas"]["UriVariable"][] | null;
        };
        /** @description A run that was going on when a backup was made: paused until it is resumed. At most 200 places are listed. */
        Restored: {
            run: string;
            workflow: string;
            workflow_name: string;
            started_by: string | null;
            /** Format: date-time */
            queued_at: string;
            /**
             * Format: date-time
             * @description When the backup was made; null = it goes on.
             */
            restored_from: string | null;
            /** @description Somebody had paused it before: it goes on only when it is named. */
            was_paused: boolean;
            writes: components["schemas"]["PossibleWrite"][];
            writes_total: number;
        };
        /** @description The team's restored runs, oldest first, without those that others wait for; `total` = all of them. */
        RestoredList: {
            results: components["schemas"]["Restored"][];
            total: number;
        };
        /** @description Which restored runs go on. */
        ResumeRestoredRequest: {
            /** @description Absent: all of the team's that nobody had paused before the backup. */
            runs?: string[] | null;
        };
        /** @description The runs that go on; each with those below it. */
        Resumed: {
            resumed: string[];
        };
        /** @description How to retry. */
        RetryRequest: {
            /**
             * @description Only say what would run again.
             * @default false
             */
            dry_run?: boolean;
        };
        /** @description The parameters that an authorization server put into the address it sent a person back to. */
        ReturnedRequest: {
            state: string;
            /** @default  */
            code?: string;
            /** @default  */
            iss?: string;
            /** @default  */
            error?: string;
            /** @default  */
            error_description?: string;
        };
        /** @description One draft that is kept. */
        Revision: {
            revision: number;
            by: string | null;
            /** Format: date-time */
            at: string;
            current: boolean;
        };
        /** @description One draft that is kept, with its graph. */
        RevisionGraph: {
            revision: number;
            by: string | null;
            /** Format: date-time */
            at: string;
            current: boolean;
            graph: unknown;
        };
        /** @description Drafts, newest first. */
        RevisionList: {
            results: components["schemas"]["Revision"][];
            next: string | null;
        };
        /** @description How dangerous a call is, and why. */
        Risk: {
            level: components["schemas"]["RiskLevelEnum"];
            reasons: string[];
        };
        /**
         * @description * `LOW` - LOW
         *     * `MEDIUM` - MEDIUM
         *     * `HIGH` - HIGH
         * @enum {string}
         */
        RiskLevelEnum: "LOW" | "MEDIUM" | "HIGH";
        /** @description How dangerous a call is, and why. */
        RiskText: {
            level: components["schemas"]["RiskLevelEnum"];
            reasons: string[];
        };
        /**
         * @description * `viewer` - Viewer
         *     * `editor` - Editor
         *     * `admin` - Admin
         *     * `owner` - Owner
         * @enum {string}
         */
        RoleEnum: "viewer" | "editor" | "admin" | "owner";
        /** @description One round of an iteration or loop. */
        Round: {
            index: number;
            state: components["schemas"]["RoundStateEnum"];
            /** @description Steps that began in it, without those of frames inside. */
            steps: number;
            failed: number;
            /** Format: date-time */
            started_at: string;
            /** Format: date-time */
            ended_at: string | null;
            /** @description Its first event; those of rounds that run at once lie between. */
            first_seq: number;
            last_seq: number;
        };
        /** @description One page of rounds in order; `next` is the `after` of the following page. `states` counts all rounds. */
        RoundList: {
            results: components["schemas"]["Round"][];
            next: number | null;
            total: number;
            states: {
                [key: string]: number;
            };
        };
        /**
         * @description * `RUNNING` - RUNNING
         *     * `SUCCESS` - SUCCESS
         *     * `ERROR` - ERROR
         *     * `CANCELLED` - CANCELLED
         * @enum {string}
         */
        RoundStateEnum: "RUNNING" | "SUCCESS" | "ERROR" | "CANCELLED";
        /** @description One execution of a workflow. `outputs` is {} before the end. */
        Run: {
            id: string;
            workflow: string;
            workflow_name: string;
            /** @description null = a draft */
            version: number | null;
            draft_revision: number | null;
            state: components["schemas"]["RunStateEnum"];
            inputs: {
                [key: string]: unknown;
            };
            outputs: {
                [key: string]: unknown;
            };
            error: components["schemas"]["RunError"] | null;
            usage: components["schemas"]["Usage"];
            waiting: components["schemas"]["Waiting"][];
            /** @description manual, api, mcp, a2a, agui, webhook, schedule, event, chat, workflow, retry or fork: what started it. */
            trigger: string;
            /** @description The trigger that started it or the run above it, or the collection. */
            trigger_id: string | null;
            /** @description The conversation of which it is a turn. */
            conversation: string | null;
            /** @description E-mail. */
            started_by: string | null;
            /** @description The program that started it; null = a person in the browser, or a run. */
            caller: components["schemas"]["Caller"] | null;
            /** @description The run whose step started this one. */
            parent_run: string | null;
            /** @description The outermost run above this one. */
            root_run: string | null;
            /** @description The run that this one is a retry or fork of. */
            origin_run: string | null;
            /** @description The step of it from which this one runs anew. */
            origin_step: string | null;
            /** @description That step's node. */
            origin_node: string | null;
            /** @description Events 2 to this one were taken over from it; 0 = none. */
            copied_seq: number;
            /** Format: date-time */
            queued_at: string;
            /** Format: date-time */
            started_at: string | null;
            /** Format: date-time */
            finished_at: string | null;
            last_seq: number;
            /** @description Id of the trace that it is part of (W3C); null = its caller named none, and none are kept. */
            trace: string | null;
        };
        /** @description A run as opened, with the snapshot of the graph that it executes and the runs that it started. */
        RunDetail: {
            id: string;
            workflow: string;
            workflow_name: string;
            /** @description null = a draft */
            version: number | null;
            draft_revision: number | null;
            state: components["schemas"]["RunStateEnum"];
            inputs: {
                [key: string]: unknown;
            };
            outputs: {
                [key: string]: unknown;
            };
            error: components["schemas"]["RunError"] | null;
            usage: components["schemas"]["Usage"];
            waiting: components["schemas"]["Waiting"][];
            /** @description manual, api, mcp, a2a, agui, webhook, schedule, event, chat, workflow, retry or fork: what started it. */
            trigger: string;
            /** @description The trigger that started it or the run above it, or the collection. */
            trigger_id: string | null;
            /** @description The conversation of which it is a turn. */
            conversation: string | null;
            /** @description E-mail. */
            started_by: string | null;
            /** @description The program that started it; null = a person in the browser, or a run. */
            caller: components["schemas"]["Caller"] | null;
            /** @description The run whose step started this one. */
            parent_run: string | null;
            /** @description The outermost run above this one. */
            root_run: string | null;
            /** @description The run that this one is a retry or fork of. */
            origin_run: string | null;
            /** @description The step of it from which this one runs anew. */
            origin_step: string | null;
            /** @description That step's node. */
            origin_node: string | null;
            /** @description Events 2 to this one were taken over from it; 0 = none. */
            copied_seq: number;
            /** Format: date-time */
            queued_at: string;
            /** Format: date-time */
            started_at: string | null;
            /** Format: date-time */
            finished_at: string | null;
            last_seq: number;
            /** @description Id of the trace that it is part of (W3C); null = its caller named none, and none are kept. */
            trace: string | null;
            graph: {
                [key: string]: unknown;
            };
            /** @description The latest 50 of the runs that it started, oldest first. */
            children: components["schemas"]["ChildRun"][];
            /** @description How many runs it started. */
            children_count: number;
            /** @description Where the trace is shown, as the operator set it (PATCHBAY_TRACE_URL). */
            trace_url: string | null;
            /** @description `cursor` of `GET /api/runs?parent={id}`, which goes on with the earlier ones, newest first; null = `children` are all. */
            children_next: string | null;
        };
        /** @description Why a run failed. */
        RunError: {
            code: string;
            message: string;
            hint: string;
            node: string | null;
            detail: unknown;
        };
        /** @description One page of runs, newest first. */
        RunList: {
            results: components["schemas"]["Run"][];
            next: string | null;
        };
        /**
         * @description * `QUEUED` - Queued
         *     * `RUNNING` - Running
         *     * `WAITING` - Waiting
         *     * `PAUSED` - Paused
         *     * `SUCCESS` - Success
         *     * `ERROR` - Error
         *     * `CANCELLED` - Cancelled
         * @enum {string}
         */
        RunStateEnum: "QUEUED" | "RUNNING" | "WAITING" | "PAUSED" | "SUCCESS" | "ERROR" | "CANCELLED";
        /** @description With which document. */
        RunTestRequest: {
            /** @description A version's number, or "draft" (the default). */
            version?: unknown;
        };
        /**
         * @description A step that runs, and why: it is the chosen one, it comes after one that runs, it did not end or failed, the
         *     document says something else of it, or knows it only now.
         */
        RunsAgain: {
            node: string;
            title: string;
            type: string;
            why: components["schemas"]["WhyEnum"];
            /** @description Finished rounds of an iteration or a loop that are taken over. */
            rounds_kept: number;
        };
        /** @description Which run to save, and how the test is called. */
        SaveTestRequest: {
            run: string;
            name: string;
        };
        /**
         * @description * `public` - public
         *     * `private` - private
         * @enum {string}
         */
        ScopeEnum: "public" | "private";
        /**
         * @description * `read` - read
         *     * `run` - run
         *     * `answer` - answer
         *     * `edit` - edit
         *     * `admin` - admin
         * @enum {string}
         */
        ScopesEnum: "read" | "run" | "answer" | "edit" | "admin";
        /** @description A secret without its value. */
        Secret: {
            name: string;
            hint: string;
            hosts: string[];
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        /** @description Secrets, newest first. */
        SecretList: {
            results: components["schemas"]["Secret"][];
            next: string | null;
        };
        /** @description A secret to keep. */
        SecretNewRequest: {
            value: string;
            hosts?: string[];
            name: string;
        };
        /** @description A secret as it is read: whether it is set, and its last characters. */
        SecretState: {
            set: boolean;
            hint: string;
        };
        /** @description How one signs in; `asks_password` = whether changes ask for the present password (not right after a link). */
        Security: {
            password_set: boolean;
            asks_password: boolean;
            /** @description The name of the identity provider where it is the only way in, else null. */
            identity_provider: string | null;
            two_factor: components["schemas"]["TwoFactor"];
        };
        /** @description A registered MCP server. Secrets are never read back. */
        Server: {
            id: string;
            name: string;
            slug: string;
            description: string;
            /**
             * @description agent: of others, by A2A; its skills are the tools.
             *
             *     * `server` - Server
             *     * `agent` - Agent
             */
            kind: components["schemas"]["ServerKindEnum"];
            transport: components["schemas"]["TransportEnum"];
            /** @description Masked where url_secret is on. */
            url: string;
            url_secret: boolean;
            /** @description Of an API: where its document is read, of an agent its card; may be empty. */
            document_url: string;
            /** Format: date-time */
            expires_at: string | null;
            command: string;
            args: string[];
            env: {
                [key: string]: string;
            };
            secret_env: {
                [key: string]: components["schemas"]["SecretState"];
            };
            cwd: string;
            auth_type: components["schemas"]["AuthTypeEnum"];
            api_key_set: boolean;
            api_key_hint: string;
            api_key_header: string;
            api_key_in: components["schemas"]["ApiKeyInEnum"];
            /** @description Entered by a person; empty where Patchbay introduces itself. */
            oauth_client_id: string;
            oauth_client_secret_set: boolean;
            /**
             * @description Whether a person signs in, or Patchbay itself.
             *
             *     * `authorization_code` - authorization_code
             *     * `client_credentials` - client_credentials
             */
            oauth_grant: components["schemas"]["OauthGrantEnum"];
            /**
             * @description How Patchbay itself proves who it is; empty = a secret, sent as the authorization server takes it.
             *
             *     * `` -
             *     * `client_secret_basic` - client_secret_basic
             *     * `client_secret_post` - client_secret_post
             *     * `private_key_jwt` - private_key_jwt
             */
            oauth_client_auth: components["schemas"]["OauthClientAuthEnum"] | components["schemas"]["BlankEnum"];
            oauth_private_key_set: boolean;
            /** @description ES256 or RS256, by the private key; empty where there is none. */
            oauth_signing_alg: string;
            oauth_key_id: string;
            headers: {
                [key: string]: string;
            };
            secret_headers: {
                [key: string]: components["schemas"]["SecretState"];
            };
            timeout_ms: number;
            preset: string;
            /** @description Of a server that ModelScope hosts: its name there. */
            modelscope_id?: string;
            visibility: components["schemas"]["VisibilityEnum"];
            enabled: boolean;
            session: components["schemas"]["SessionEnum"];
            credentials: components["schemas"]["CredentialsEnum"];
            /** @description What you entered for yourself; null where credentials are shared. */
            own_credentials: components["schemas"]["OwnCredentials"] | null;
            asks: boolean;
            trust_annotations: boolean;
            /** @description So many runs use it at once at most; null = no limit. */
            max_runs: number | null;
            /** @description One connection carries so many calls at once at most; null = 64. */
            max_calls: number | null;
            /** @description null where it starts no program. */
            approval: components["schemas"]["Approval"] | null;
            /**
             * @description undecided: as before there were boxes, until somebody decides.
             *
             *     * `boxed` - Boxed
             *     * `open` - Open
             *     * `undecided` - Undecided
             */
            box: components["schemas"]["ServerBoxEnum"];
            folders: components["schemas"]["Folder"][] | null;
            network: boolean;
            /** @description What comes of it here; null where nothing is started. */
            boxed_as: components["schemas"]["Box"] | null;
            /** @description null where neither npx nor uvx starts it. */
            package: components["schemas"]["Package"] | null;
            status: components["schemas"]["ServerStatus"];
            /** @description How many workflows name this server. */
            workflows: number;
            /** @description Tools whose definition changed and waits to be accepted. */
            changed_tools: number;
            created_by: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        /**
         * @description * `boxed` - Boxed
         *     * `open` - Open
         *     * `undecided` - Undecided
         * @enum {string}
         */
        ServerBoxEnum: "boxed" | "open" | "undecided";
        /** @description How a server answered the team's runs over time. */
        ServerCalls: {
            span: components["schemas"]["SpanEnum"];
            /**
             * Format: date-time
             * @description From when on calls are counted; null = none was counted yet.
             */
            since: string | null;
            total: components["schemas"]["Calls"];
            /** @description By the hour or by the day (UTC), from `since` until now. */
            results: components["schemas"]["CallsAt"][];
        };
        /** @description How many servers the reader sees, whatever they search for; `attention`: those that someone should look at. */
        ServerCounts: {
            all: number;
            attention: number;
        };
        /** @description What a server calls itself. */
        ServerIdentity: {
            name: string | null;
            version: string | null;
        };
        /**
         * @description * `server` - Server
         *     * `agent` - Agent
         * @enum {string}
         */
        ServerKindEnum: "server" | "agent";
        /** @description A page of servers. */
        ServerList: {
            results: components["schemas"]["Server"][];
            next: string | null;
            /** @description null on the pages that follow the first. */
            counts: components["schemas"]["ServerCounts"] | null;
        };
        /** @description A server that is switched off for models. */
        ServerOff: {
            id: string;
            slug: string;
            name: string;
        };
        /** @description What the last test, refresh or connection found. */
        ServerStatus: {
            state: components["schemas"]["ConnectionStateEnum"];
            code: string | null;
            message: string;
            hint: string;
            /** Format: date-time */
            checked_at: string | null;
            /** Format: double */
            latency_ms: number | null;
            protocol: string | null;
            server_name: string | null;
            server_version: string | null;
            tool_count: number | null;
            /**
             * Format: date-time
             * @description Since when it fails; null while it answers.
             */
            since: string | null;
            /** @description null until a connection was made. */
            declared: components["schemas"]["Declared"] | null;
        };
        /** @description All tools of one of several servers, to choose from. */
        ServerToolNames: {
            id: string;
            slug: string;
            results: components["schemas"]["ToolName"][];
        };
        /** @description Servers that models in one's own runs may not choose tools from. */
        ServersOff: {
            servers: components["schemas"]["ServerOff"][];
        };
        /** @description All tools of several servers, to choose from. */
        ServersToolNames: {
            results: components["schemas"]["ServerToolNames"][];
            next: string | null;
        };
        /** @description Where one is signed in. */
        Session: {
            id: string;
            user_agent: string;
            ip: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            last_seen_at: string;
            current: boolean;
        };
        /**
         * @description * `shared` - Shared
         *     * `run` - Run
         * @enum {string}
         */
        SessionEnum: "shared" | "run";
        /** @description One's sessions: the present one, then last used first. */
        SessionList: {
            results: components["schemas"]["Session"][];
            next: string | null;
        };
        /** @description What a one-time link is for; `email` is the person it signs in. */
        Setup: {
            purpose: components["schemas"]["PurposeEnum"];
            email: string;
        };
        /** @description Using a one-time link; all but `token` only for the first owner. */
        SetupUseRequest: {
            token: string;
            email?: string;
            name?: string;
            password?: string;
            team?: string;
            language?: components["schemas"]["LanguageEnum"];
        };
        /**
         * @description * `error` - error
         *     * `warning` - warning
         * @enum {string}
         */
        SeverityEnum: "error" | "warning";
        /**
         * @description * `form` - form
         *     * `chat` - chat
         * @enum {string}
         */
        ShowEnum: "form" | "chat";
        /** @description How the reader, or the whole team, is signed in at a server. */
        SignIn: {
            state: components["schemas"]["SignInStateEnum"];
            /** @description One sign-in for the team; false where each member has their own. */
            shared: boolean;
            /** @description Patchbay signs in itself, with credentials that an admin entered; nobody else has to. */
            machine: boolean;
            may_sign_in: boolean;
            /** @description What the authorization server calls the account; empty where it does not say. */
            signed_in_as: string;
            /** @description Address of the member who signed in. */
            signed_in_by: string | null;
            /** Format: date-time */
            signed_in_at: string | null;
            issuer: string;
            scopes: string[];
            /** @description Scopes that the server asked for since. */
            needs: string[];
            /**
             * Format: date-time
             * @description Of the access token; null where it does not say.
             */
            expires_at: string | null;
            /** @description Whether it is renewed without a person. */
            renews: boolean;
            /** Format: date-time */
            refreshed_at: string | null;
            /** @description entered, document, registered, or empty. */
            client_kind: string;
            client_id: string;
            /** @description The address to name where a client is registered by hand. */
            callback: string;
            problem: components["schemas"]["SignInProblem"] | null;
            steps: components["schemas"]["FlowStep"][];
        };
        /** @description Where to sign in. */
        SignInAtRequest: {
            /** @description The server's id. */
            server: string;
        };
        /** @description Where to go. */
        SignInBegun: {
            /** @description The page of the authorization server. */
            url: string;
        };
        /** @description Where one signed in. */
        SignInDone: {
            server: string;
            slug: string;
        };
        /** @description What went wrong last, and what to do. */
        SignInProblem: {
            code: string;
            reason: string;
            stage: string;
            message: string;
            hint: string;
        };
        /**
         * @description * `none` - none
         *     * `signed_in` - signed_in
         *     * `ended` - ended
         * @enum {string}
         */
        SignInStateEnum: "none" | "signed_in" | "ended";
        /** @description An entry that was not taken, and why. */
        Skipped: {
            name: string;
            reason: string;
        };
        /**
         * @description * `day` - day
         *     * `month` - month
         * @enum {string}
         */
        SpanEnum: "day" | "month";
        /** @description What the team's models used today (UTC). */
        Spending: {
            /** Format: date */
            day: string;
            /**
             * Format: date-time
             * @description When the next day begins.
             */
            until: string;
            /**
             * @description The worst of both budgets.
             *
             *     * `ok` - ok
             *     * `near` - near
             *     * `reached` - reached
             */
            state: components["schemas"]["BudgetStateEnum"];
            budgets: components["schemas"]["BudgetUse"][];
            unpriced: components["schemas"]["Unpriced"][];
        };
        /** @description One stage of a connection test; `ok` null = not reached. */
        Stage: {
            name: string;
            ok: boolean | null;
            /** Format: double */
            ms: number;
            detail: unknown;
        };
        /** @description What starts a run. `version` = a number or "draft"; absent = the published one. `wait` in seconds. */
        StartRequest: {
            /** @description Checked against the start node's schema. A file is `{"$file": id}` of `POST /api/files`. */
            inputs?: {
                [key: string]: unknown;
            };
            /** @description A version's number, or "draft". */
            version?: unknown;
            /** @description The draft's revision that is meant; another is refused. */
            revision?: number | null;
            /** @description A node of the draft: only it and what is upstream of it runs. */
            until?: string | null;
            /** @description By node, what it gave: with `until`, that node runs alone and what it refers to is taken from here. By container around it, the values of its one round: `item` and `index`, or `loop` (`vars`, `last`, `index`). */
            outputs?: {
                [key: string]: unknown;
            } | null;
            /**
             * Format: double
             * @description Seconds to wait for the run to end or to ask a person.
             */
            wait?: number;
        };
        /** @description Who started the outermost run, how and when. */
        Started: {
            by: string | null;
            trigger: string;
            /** Format: date-time */
            at: string;
        };
        /** @description How much is stored: of the installation the database, of the team the rest. */
        Storage: {
            database_bytes: number;
            runs: number;
            events: number;
            /** Format: date-time */
            oldest_run: string | null;
            blobs: components["schemas"]["Stored"];
            files: components["schemas"]["Stored"];
            /** @description Ended runs go after so many days; 0 = never. */
            retention_days: number;
        };
        /** @description How many, and how large together. */
        Stored: {
            count: number;
            bytes: number;
        };
        /** @description The team acted in. */
        Team: {
            id: string;
            name: string;
            slug: string;
            role: components["schemas"]["RoleEnum"];
            /** @description Of prices, costs and budgets (ISO 4217). */
            currency: string;
            /** @description Whether its members need one. */
            second_factor: boolean;
            /** @description Hosts to which HTTP requests go unasked though an expression gives them. */
            request_hosts: string[];
            budget: components["schemas"]["Budget"];
        };
        /** @description One's teams. */
        TeamList: {
            results: components["schemas"]["TeamRef"][];
            next: string | null;
        };
        /** @description A team to make. */
        TeamNewRequest: {
            name: string;
        };
        /** @description A team and one's role in it. */
        TeamRef: {
            id: string;
            name: string;
            slug: string;
            role: components["schemas"]["RoleEnum"];
            /** @description Of prices, costs and budgets (ISO 4217). */
            currency: string;
        };
        /** @description How much a team has stored. */
        TeamStorage: {
            id: string;
            name: string;
            members: number;
            runs: number;
            events: number;
            /** @description Large values of runs, files among them. */
            blobs: components["schemas"]["Amount"];
            files: components["schemas"]["Amount"];
        };
        /** @description A workflow to begin with. */
        Template: {
            id: string;
            name: string;
            description: string;
            needs: components["schemas"]["Need"][];
            preview: components["schemas"]["Preview"];
        };
        /** @description All templates. */
        TemplateList: {
            results: components["schemas"]["Template"][];
            next: string | null;
        };
        /** @description A connection test: every stage with its time; the first that failed says why and what to do. */
        Test: {
            ok: boolean;
            stages: components["schemas"]["Stage"][];
            code: string | null;
            message: string;
            hint: string;
            messages: components["schemas"]["Message"][];
            /** @description Last lines of a program, masked. */
            stderr: string[];
            /** Format: double */
            ms: number;
            protocol: string | null;
            server: components["schemas"]["ServerIdentity"];
            capabilities: unknown;
            tools: components["schemas"]["Tool"][];
            /** @description How many tools were found, also those that are not carried here. */
            tool_count: number;
        };
        /** @description Which model to try; without one the first that is known. */
        TestProviderRequest: {
            model?: string;
        };
        /** @description How a test went: `ok` = every node gave the same, or is new. */
        TestResult: {
            ok: boolean;
            state: components["schemas"]["TestResultStateEnum"];
            /** @description null = the draft */
            version: number | null;
            /** Format: date-time */
            at: string;
            ms: number;
            nodes: components["schemas"]["TestedNode"][];
        };
        /**
         * @description * `SUCCESS` - SUCCESS
         *     * `ERROR` - ERROR
         *     * `CANCELLED` - CANCELLED
         *     * `WAITING` - WAITING
         * @enum {string}
         */
        TestResultStateEnum: "SUCCESS" | "ERROR" | "CANCELLED" | "WAITING";
        /** @description What to try the draft with: one of the deliveries, a request of one's own, or (neither) a sample. */
        TestTriggerRequest: {
            delivery?: string;
            /** @description As a delivery's: `{method, query, headers, body, files}`, `{at}`, `{event}`, `{text}` or `{inputs}`. */
            request?: {
                [key: string]: unknown;
            };
        };
        /** @description One node of a test's run. `expected` and `got` = `{output}`, `{error: code}`, `{skipped}` or null. */
        TestedNode: {
            node: string;
            title: string;
            type: string;
            /**
             * @description missing = it asked for what was not recorded; unreached = it ran then and not now.
             *
             *     * `same` - same
             *     * `differs` - differs
             *     * `missing` - missing
             *     * `unreached` - unreached
             *     * `new` - new
             */
            status: components["schemas"]["TestedStatusEnum"];
            expected: unknown;
            got: unknown;
            missing: components["schemas"]["MissingAnswer"][];
        };
        /**
         * @description * `same` - same
         *     * `differs` - differs
         *     * `missing` - missing
         *     * `unreached` - unreached
         *     * `new` - new
         * @enum {string}
         */
        TestedStatusEnum: "same" | "differs" | "missing" | "unreached" | "new";
        /**
         * @description * `system` - system
         *     * `light` - light
         *     * `dark` - dark
         * @enum {string}
         */
        ThemeEnum: "system" | "light" | "dark";
        /** @description An API token; `scopes` empty = all that its member may. `token` is its text, only in the answer that makes it. */
        Token: {
            id: string;
            name: string;
            prefix: string;
            scopes: components["schemas"]["ScopesEnum"][];
            user: components["schemas"]["TokenOwner"];
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            expires_at: string | null;
            /** Format: date-time */
            last_used_at: string | null;
            /**
             * Format: date-time
             * @description A token from before people alone could approve: until then it may.
             */
            approves_until: string | null;
            /** @description Ids of the workflows that it is bound to; empty = it is not bound. */
            workflows: string[];
            /** @description Where it works from (CIDR); empty = from everywhere. */
            networks: string[];
            /** @description The collection that it opens and nothing else; null = of none. */
            collection: string | null;
            /** @description The one path that it opens, of a client that signed in by OAuth; empty = it was made here. */
            audience: string;
            token?: string;
        };
        /** @description Tokens, newest first. */
        TokenList: {
            results: components["schemas"]["Token"][];
            next: string | null;
        };
        /** @description A token to make; without `scopes` it may all that its member may. */
        TokenNewRequest: {
            name: string;
            scopes?: components["schemas"]["ScopesEnum"][];
            expires_in_days?: number | null;
            /** @description Ids of the workflows that it is bound to, with the scopes read, run and answer alone. */
            workflows?: string[];
            /** @description IP addresses and networks (CIDR) that it works from. */
            networks?: string[];
        };
        /** @description For whom a token acts. */
        TokenOwner: {
            id: string;
            email: string;
            name: string;
        };
        /** @description A tool with what was decided about it. `overrides` holds what an admin set; empty = by the rules. */
        Tool: {
            name: string;
            title: string;
            description: string;
            input_schema: unknown;
            output_schema: unknown;
            annotations: unknown;
            /** @description The server's slug. */
            server: string;
            effect: components["schemas"]["EffectEnum"];
            policy: components["schemas"]["PolicyEnum"];
            /**
             * @description Who must agree where a call asks.
             *
             *     * `anyone` - anyone
             *     * `not_starter` - not_starter
             *     * `two_people` - two_people
             *     * `two_others` - two_others
             */
            approvers: components["schemas"]["ApproversEnum"];
            risk: components["schemas"]["Risk"];
            overrides: {
                [key: string]: string | null;
            };
            changed: boolean;
            /** @description The server no longer lists it. */
            gone: boolean;
            /** @description The accepted definition, where it changed. */
            pinned: components["schemas"]["Definition"] | null;
            /** Format: date-time */
            pinned_at: string | null;
            /** Format: date-time */
            listed_at: string | null;
            /** @description Why it cannot be called, where its schema is at fault. */
            problem: components["schemas"]["ToolProblem"] | null;
        };
        /** @description A tool that may be chosen, the best first; `arguments` = {name in the file: argument of the tool}. */
        ToolCandidate: {
            server: string;
            tool: string;
            title: string;
            risk: string;
            arguments: {
                [key: string]: string;
            };
            /** @description Required arguments that would stay empty. */
            empty: string[];
        };
        /** @description A tool of one of the team's servers. */
        ToolChoiceRequest: {
            server: string;
            tool: string;
        };
        /** @description A server's tools as last listed. */
        ToolList: {
            results: components["schemas"]["Tool"][];
            next: string | null;
            /** @description How many fit, on all pages. */
            total: number;
            /** @description How many of the server's tools changed and wait to be accepted. */
            changed: number;
            /** @description About how many tokens it costs to offer all that the server lists to a model. */
            tokens: number;
            /** Format: date-time */
            listed_at: string | null;
            left_out: components["schemas"]["LeftOut"][];
        };
        /** @description What a list to choose from shows of a tool; the rest is read when it is opened. */
        ToolName: {
            name: string;
            title: string;
            /** @description Its first 200 characters. */
            description: string;
            /** @description How many arguments it takes. */
            parameters: number;
            /** @description About how many tokens it costs to offer it to a model. */
            tokens: number;
            effect: components["schemas"]["EffectEnum"];
            policy: components["schemas"]["PolicyEnum"];
            risk: components["schemas"]["Risk"];
            changed: boolean;
            /** @description The server no longer lists it. */
            gone: boolean;
        };
        /** @description All tools of a server, to choose from. */
        ToolNameList: {
            results: components["schemas"]["ToolName"][];
            next: string | null;
        };
        /** @description What is wrong, and what to do. */
        ToolProblem: {
            message: string;
            hint: string;
        };
        /** @description Something that a tool is chosen for. */
        ToolWant: {
            key: string;
            name: string;
            kind: components["schemas"]["ToolWantKindEnum"];
            arguments: string[];
            /** @description Ids in the file of all alike. */
            nodes: string[];
            titles: string[];
            chosen: components["schemas"]["ChosenTool"] | null;
            candidates: components["schemas"]["ToolCandidate"][];
        };
        /**
         * @description * `tool` - tool
         *     * `knowledge` - knowledge
         * @enum {string}
         */
        ToolWantKindEnum: "tool" | "knowledge";
        /** @description Who is to own the team. */
        TransferRequest: {
            member: string;
        };
        /**
         * @description * `stdio` - Stdio
         *     * `http` - Http
         *     * `sse` - Sse
         *     * `openapi` - Openapi
         *     * `a2a` - A2A
         * @enum {string}
         */
        TransportEnum: "stdio" | "http" | "sse" | "openapi" | "a2a";
        /** @description An unsaved provider to test. With `provider` it is laid over that saved one, secrets included. */
        TrialProviderRequest: {
            name?: string;
            /** @description Only on creation. */
            slug?: string | null;
            base_url?: string;
            /** @description A key, or ${secret:name}. */
            api_key?: string | null;
            headers?: {
                [key: string]: string;
            } | null;
            secret_headers?: {
                [key: string]: string | null;
            } | null;
            timeout_ms?: number | null;
            connect_timeout_ms?: number | null;
            first_token_timeout_ms?: number | null;
            idle_timeout_ms?: number | null;
            models?: components["schemas"]["ProviderModelInputRequest"][] | null;
            visibility?: components["schemas"]["VisibilityEnum"] | components["schemas"]["NullEnum"];
            credentials?: components["schemas"]["CredentialsEnum"] | components["schemas"]["NullEnum"];
            enabled?: boolean | null;
            preset?: string | null;
            provider?: string;
            model?: string;
        };
        /** @description An unsaved configuration to test. With `server` it is laid over that saved server, secrets included. */
        TrialServerRequest: {
            name?: string;
            /** @description Only on creation. */
            slug?: string | null;
            description?: string | null;
            transport?: components["schemas"]["TransportEnum"];
            url?: string | null;
            url_secret?: boolean | null;
            /** @description Of an API: its OpenAPI document (3.0, 3.1, Swagger 2.0) as JSON or YAML. */
            document?: string;
            /** @description Instead: where it is read, without credentials, when the tools are listed. Of an agent: where its card is read; empty = at the usual path below its address. */
            document_url?: string | null;
            /** Format: date-time */
            expires_at?: string | null;
            command?: string | null;
            args?: string[] | null;
            env?: {
                [key: string]: string;
            } | null;
            secret_env?: {
                [key: string]: string | null;
            } | null;
            cwd?: string | null;
            auth_type?: components["schemas"]["AuthTypeEnum"] | components["schemas"]["NullEnum"];
            api_key?: string | null;
            api_key_header?: string | null;
            /**
             * @description Elsewhere than in a header only of an API.
             *
             *     * `header` - Header
             *     * `query` - Query
             *     * `cookie` - Cookie
             */
            api_key_in?: components["schemas"]["ApiKeyInEnum"] | components["schemas"]["NullEnum"];
            /** @description Only where the authorization server lets no client register itself. */
            oauth_client_id?: (string | null) | string;
            oauth_client_secret?: (string | null) | string;
            /**
             * @description Who signs in: a person (authorization_code), or Patchbay itself (client_credentials).
             *
             *     * `authorization_code` - authorization_code
             *     * `client_credentials` - client_credentials
             */
            oauth_grant?: components["schemas"]["OauthGrantEnum"] | components["schemas"]["NullEnum"];
            /**
             * @description How Patchbay itself proves who it is; empty = a secret, sent as the authorization server takes it.
             *
             *     * `client_secret_basic` - client_secret_basic
             *     * `client_secret_post` - client_secret_post
             *     * `private_key_jwt` - private_key_jwt
             */
            oauth_client_auth?: components["schemas"]["OauthClientAuthEnum"] | components["schemas"]["BlankEnum"] | components["schemas"]["NullEnum"];
            /** @description For private_key_jwt, as PEM: an EC key on P-256 (ES256) or an RSA key (RS256). */
            oauth_private_key?: string | null;
            /** @description What the authorization server calls the key (kid), where it has several. */
            oauth_key_id?: (string | null) | string;
            headers?: {
                [key: string]: string;
            } | null;
            secret_headers?: {
                [key: string]: string | null;
            } | null;
            timeout_ms?: number | null;
            visibility?: components["schemas"]["VisibilityEnum"] | components["schemas"]["NullEnum"];
            enabled?: boolean | null;
            session?: components["schemas"]["SessionEnum"] | components["schemas"]["NullEnum"];
            credentials?: components["schemas"]["CredentialsEnum"] | components["schemas"]["NullEnum"];
            asks?: boolean | null;
            trust_annotations?: boolean | null;
            /** @description So many runs use it at once at most; further ones wait in the queue. null = no limit. */
            max_runs?: number | null;
            /** @description One connection carries so many calls at once at most; further ones wait. null = 64. */
            max_calls?: number | null;
            /**
             * @description What a program is started in; open = in no box, it may do what Patchbay itself may.
             *
             *     * `boxed` - boxed
             *     * `open` - open
             */
            box?: components["schemas"]["ChosenBoxEnum"] | components["schemas"]["NullEnum"];
            /** @description What its box shows of the disk. null = the folders that are plain in its arguments. */
            folders?: components["schemas"]["FolderRequest"][] | null;
            /** @description Off: its box has no network, this machine's own included. */
            network?: boolean | null;
            preset?: string | null;
            values?: {
                [key: string]: string;
            };
            server?: string;
        };
        /** @description What starts a workflow's published version without a person. */
        Trigger: {
            id: string;
            workflow: string;
            workflow_name: string;
            kind: components["schemas"]["TriggerKindEnum"];
            name: string;
            enabled: boolean;
            config: unknown;
            /** @description E-mail of the member who switched it on; its runs go in their name. Of a chat and of a members' page null. */
            acts_as: string | null;
            /**
             * @description Why it is off though nobody switched it off.
             *
             *     * `left` - Left
             *     * `role` - Role
             *     * `failures` - Failures
             *     * `restored` - Restored
             */
            off_reason: components["schemas"]["OffReasonEnum"] | components["schemas"]["NullEnum"];
            /** Format: date-time */
            off_at: string | null;
            /** @description The last characters of a webhook's address, or of a page's link. */
            address_end: string | null;
            /** Format: date-time */
            next_at: string | null;
            /** @description A schedule's next five times; also while it is off. */
            next: string[];
            last: components["schemas"]["LastDelivery"] | null;
            created_by: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        /**
         * @description * `webhook` - Webhook
         *     * `schedule` - Schedule
         *     * `event` - Event
         *     * `chat` - Chat
         *     * `page` - Page
         * @enum {string}
         */
        TriggerKindEnum: "webhook" | "schedule" | "event" | "chat" | "page";
        /** @description One page of triggers, newest first. */
        TriggerList: {
            results: components["schemas"]["Trigger"][];
            next: string | null;
        };
        /** @description What a person wrote and what was answered. */
        Turn: {
            id: string;
            /** @description Empty where the run was deleted. */
            text: string;
            files: components["schemas"]["ChatFile"][];
            /** @description The turns that are versions of this message, oldest first; this one too. */
            versions: string[];
            /** @description Markdown; null before the end of the run. */
            answer: string | null;
            /** @description Tools that the run called, once it has ended. */
            calls: components["schemas"]["ChatCall"][];
            /** @description What the run, or one below it, asked, oldest first. */
            questions: components["schemas"]["Interaction"][];
            /** @description null where it was deleted. */
            run: components["schemas"]["TurnRun"] | null;
            /** Format: date-time */
            created_at: string;
        };
        /** @description The run of a turn. */
        TurnRun: {
            id: string;
            version: number | null;
            state: components["schemas"]["RunStateEnum"];
            error: components["schemas"]["RunError"] | null;
            usage: components["schemas"]["Usage"];
            /** Format: date-time */
            queued_at: string;
            /** Format: date-time */
            started_at: string | null;
            /** Format: date-time */
            finished_at: string | null;
        };
        /** @description The second factor. */
        TwoFactor: {
            on: boolean;
            /** Format: date-time */
            since: string | null;
            /** Format: date-time */
            last_used_at: string | null;
            codes_left: number;
        };
        /** @description What the authenticator app needs: the secret to type, the same as an address, and as a QR picture (SVG). */
        TwoFactorSetup: {
            secret: string;
            uri: string;
            svg: string;
        };
        /** @description A model without a price: what it uses counts as 0 cost. */
        Unpriced: {
            provider: string;
            model: string;
            /** @description Used today. */
            tokens: number;
        };
        /** @description A file to keep (multipart). */
        UploadRequest: {
            /** Format: binary */
            file: string;
        };
        /** @description A variable of a URI template. */
        UriVariable: {
            name: string;
            /** @description false where the URI is complete without it. */
            required: boolean;
        };
        /** @description What a run used, its child runs that ended included. `seconds` = time in which it was being worked on. */
        Usage: {
            input_tokens: number;
            output_tokens: number;
            /** Format: double */
            cost: number;
            tool_calls: number;
            /** Format: double */
            seconds: number;
        };
        /** @description What a team used in a span of days, in sums by one of its sides. */
        UsageReport: {
            /** Format: date */
            from: string;
            /** Format: date */
            to: string;
            by: components["schemas"]["ByEnum"];
            total: components["schemas"]["Amounts"];
            results: components["schemas"]["UsageRow"][];
        };
        /** @description One day, workflow, member, model or server. */
        UsageRow: {
            runs: number;
            failed: number;
            cancelled: number;
            /** @description Answers of models. */
            rounds: number;
            input_tokens: number;
            output_tokens: number;
            /** Format: double */
            cost: number;
            tool_calls: number;
            /** @description Day, id, `provider/model` or slug. */
            key: string;
            /** @description null = it is gone */
            name: string | null;
        };
        /** @description A workflow that names a server. */
        UsingWorkflow: {
            id: string;
            name: string;
            slug: string;
            published_version: number | null;
        };
        /** @description The workflows that name a server. */
        UsingWorkflowList: {
            results: components["schemas"]["UsingWorkflow"][];
            next: string | null;
        };
        /** @description The graph to check; absent = the draft. */
        ValidateInputRequest: {
            graph?: unknown;
        };
        /** @description All problems of a graph; `ok` = none is an error. */
        Validation: {
            ok: boolean;
            problems: components["schemas"]["Problem"][];
        };
        /** @description A published version. */
        Version: {
            version: number;
            note: string;
            /** Format: date-time */
            published_at: string;
            published_by: string | null;
        };
        /** @description A published version with its graph. */
        VersionGraph: {
            version: number;
            note: string;
            /** Format: date-time */
            published_at: string;
            published_by: string | null;
            graph: unknown;
        };
        /** @description Versions, newest first. */
        VersionList: {
            results: components["schemas"]["Version"][];
            next: string | null;
        };
        /**
         * @description * `team` - Team
         *     * `private` - Private
         * @enum {string}
         */
        VisibilityEnum: "team" | "private";
        /** @description How it goes with what was sent. */
        Visit: {
            /**
             * @description `waiting` = somebody in the team has to look at it first.
             *
             *     * `working` - working
             *     * `waiting` - waiting
             *     * `done` - done
             *     * `failed` - failed
             */
            state: components["schemas"]["VisitStateEnum"];
            /** @description What the workflow has said until now, as Markdown, in its order. */
            answers: string[];
            /** @description Once it is done; of a chat null. */
            outputs: {
                [key: string]: unknown;
            } | null;
        };
        /** @description A conversation: the last 50 messages. */
        VisitConversation: {
            turns: components["schemas"]["VisitTurn"][];
        };
        /** @description A conversation to take along: all its messages. */
        VisitConversationExport: {
            /** @description Of the page. */
            title: string;
            turns: components["schemas"]["KeptVisitTurn"][];
        };
        /** @description What is sent: of a form `inputs`, of a chat `conversation` and `text`. */
        VisitRequest: {
            /** @description 43 to 64 random letters, digits, - and _, made anew by whoever sends it. The same key, the same run; it leads to the answer. */
            key: string;
            /** @description A file is `{$upload: {name, mime, base64}}`; it is stored with the run. */
            inputs?: {
                [key: string]: unknown;
            };
            /** @description 43 to 64 random letters, digits, - and _, made anew by whoever sends it. A new one begins a conversation. */
            conversation?: string;
            text?: string;
        };
        /**
         * @description * `working` - working
         *     * `waiting` - waiting
         *     * `done` - done
         *     * `failed` - failed
         * @enum {string}
         */
        VisitStateEnum: "working" | "waiting" | "done" | "failed";
        /** @description A message and what was answered. */
        VisitTurn: {
            text: string;
            state: components["schemas"]["VisitStateEnum"];
            /** @description As far as it is known. */
            answer: string | null;
        };
        /** @description What a run waits for. */
        Waiting: {
            /**
             * @description `client`: the program that started the run is to answer a call of a tool of its own.
             *
             *     * `person` - person
             *     * `client` - client
             *     * `timer` - timer
             *     * `child` - child
             *     * `pause` - pause
             */
            kind: components["schemas"]["WaitingKindEnum"];
            interaction?: string;
            /** Format: date-time */
            until?: string;
            /** @description The child run that is waited for. */
            run?: string;
            /**
             * Format: date-time
             * @description With `pause`: the run was restored from a backup of this time and has not gone on since.
             */
            restored_from?: string;
            /** @description Somebody had paused it before that backup. */
            was_paused?: boolean;
        };
        /**
         * @description * `person` - person
         *     * `client` - client
         *     * `timer` - timer
         *     * `child` - child
         *     * `pause` - pause
         * @enum {string}
         */
        WaitingKindEnum: "person" | "client" | "timer" | "child" | "pause";
        /** @description The sign-in at a server that a run waits for. */
        WantedSignIn: {
            /** @description Its name in the registry now; null where it is gone. */
            server: string | null;
            /** @description The team's; false where it is one member's own. */
            shared: boolean;
            /** @description Whose own it is, by e-mail; null where it is the team's, or they are gone. */
            person: string | null;
        };
        /**
         * @description * `command` - command
         *     * `args` - args
         *     * `cwd` - cwd
         *     * `env` - env
         *     * `url` - url
         *     * `headers` - headers
         * @enum {string}
         */
        WhereEnum: "command" | "args" | "cwd" | "env" | "url" | "headers";
        /**
         * @description * `read` - read
         *     * `write` - write
         *     * `high_risk` - high_risk
         * @enum {string}
         */
        WhichEnum: "read" | "write" | "high_risk";
        /**
         * @description * `point` - point
         *     * `after` - after
         *     * `unfinished` - unfinished
         *     * `changed` - changed
         *     * `new` - new
         * @enum {string}
         */
        WhyEnum: "point" | "after" | "unfinished" | "changed" | "new";
        /** @description A text in both languages. */
        Words: {
            en: string;
            zh: string;
        };
        /** @description A process that runs take place in. */
        Worker: {
            /** @description Machine and process number. */
            name: string;
            running: number;
            capacity: number;
            /**
             * Format: double
             * @description Seconds since its start.
             */
            age_s: number;
            /**
             * Format: double
             * @description Seconds since it last said that it is there.
             */
            seen_s: number;
        };
        /** @description A workflow with its draft. */
        Workflow: {
            id: string;
            name: string;
            slug: string;
            description: string;
            published_version: number | null;
            expose_as_tool: boolean;
            expose_as_agent: boolean;
            agent_card_public: boolean;
            expose_as_agui: boolean;
            /** @description Publishing demands that the saved tests pass. */
            tests_required: boolean;
            node_count: number;
            /** @description Errors of the draft when it was saved. */
            problem_count: number;
            servers: string[];
            created_by: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            draft: components["schemas"]["Draft"];
        };
        /** @description A page of workflows. */
        WorkflowList: {
            results: components["schemas"]["ListedWorkflow"][];
            next: string | null;
        };
        /** @description A run saved as a test. */
        WorkflowTest: {
            id: string;
            name: string;
            /** @description The run that it was made of; null once that is deleted. */
            run: string | null;
            inputs: {
                [key: string]: unknown;
            };
            /** @description E-mail. */
            created_by: string | null;
            /** Format: date-time */
            created_at: string;
            /** @description Of the last time it was run. */
            result: components["schemas"]["TestResult"] | null;
        };
        /** @description One page of tests, newest first. */
        WorkflowTestList: {
            results: components["schemas"]["WorkflowTest"][];
            next: string | null;
        };
        /** @description A call that changed the world and will or may be made again. `run` and `step` = where it was made. */
        Write: {
            node: string;
            run: string;
            step: string;
            server: string | null;
            tool: string | null;
            arguments: unknown;
            /** Format: date-time */
            at: string;
            effect: components["schemas"]["RepeatedEffectEnum"];
            /**
             * @description unknown = it may have happened.
             *
             *     * `done` - done
             *     * `failed` - failed
             *     * `unknown` - unknown
             */
            outcome: components["schemas"]["OutcomeEnum"];
        };
        /**
         * @description Why a request was refused, and what to do. `fields` names what to correct.
         * @example {
         *       "code": "VALIDATION_ERROR",
         *       "message": "Some values are not valid.",
         *       "detail": null,
         *       "hint": "Correct the fields below.",
         *       "fields": {
         *         "inputs.n": [
         *           "is required"
         *         ]
         *       }
         *     }
         */
        Error: {
            /** @description Stable; see the table of codes. */
            code: string;
            message: string;
            /** @description More for programs, by code. */
            detail: unknown;
            hint: string;
            fields: {
                [key: string]: string[];
            };
            /** @description Names the request in the installation's log. */
            request_id?: string;
        };
        /** @description What `data` of an event holds, by its type. Large values stand as `{$ref, size, preview}`. */
        EventData: {
            FLOW_QUEUED: components["schemas"]["FlowQueuedData"];
            FLOW_START: components["schemas"]["FlowStartData"] | components["schemas"]["PlanStartData"];
            FLOW_RESUME: components["schemas"]["FlowResumeData"];
            FLOW_STOP: components["schemas"]["FlowStopData"];
            FLOW_SUCCESS: components["schemas"]["FlowSuccessData"];
            FLOW_FAILED: components["schemas"]["FailureData"];
            FLOW_CANCEL: components["schemas"]["FlowCancelData"];
            STEP_INIT: components["schemas"]["StepInitData"];
            STEP_INPUT: components["schemas"]["StepInputData"];
            STEP_OUTPUT: components["schemas"]["StepOutputData"];
            STEP_ERROR: components["schemas"]["StepErrorData"];
            STEP_SKIP: components["schemas"]["StepSkipData"];
            STEP_CANCEL: components["schemas"]["StepCancelData"];
            STEP_RETRY: components["schemas"]["StepRetryData"];
            STEP_LOG: components["schemas"]["StepLogData"];
            STEP_PROGRESS: components["schemas"]["StepProgressData"];
            STEP_WAITING_FOR_START: components["schemas"]["WaitingForStartData"];
            STEP_WAITING_FOR_PARAM: components["schemas"]["WaitingForParamData"];
            STEP_WAITING_FOR_INPUT: components["schemas"]["WaitingForInputData"];
            STEP_ANSWERED: components["schemas"]["AnsweredData"];
            TOOL_REQUEST: components["schemas"]["ToolRequestData"];
            TOOL_RESPONSE: components["schemas"]["ChildResponseData"];
            LLM_REQUEST: components["schemas"]["LlmRequestData"];
            LLM_RESPONSE: components["schemas"]["LlmResponseData"] | components["schemas"]["LlmFailureData"];
            TEXT_ADD: components["schemas"]["TextAddData"];
            BUDGET_EXCEEDED: components["schemas"]["BudgetExceededData"];
        };
        SocketRequest: components["schemas"]["Subscribe"] | components["schemas"]["Unsubscribe"] | components["schemas"]["Ack"];
        SocketFrame: components["schemas"]["EventsFrame"] | components["schemas"]["TextFrame"] | components["schemas"]["HintFrame"] | components["schemas"]["RefusalFrame"];
        /** @description A document: the graph of a workflow, and what its runs share. */
        Graph: {
            language?: string;
            variables?: {
                [key: string]: components["schemas"]["Variable"];
            };
            env?: {
                [key: string]: unknown;
            };
            mcp_servers?: {
                [key: string]: {
                    [key: string]: unknown;
                };
            };
            budgets?: components["schemas"]["Budgets"];
            concurrency?: components["schemas"]["Concurrency"];
            /** @enum {unknown} */
            approvers?: "anyone" | "not_starter" | "two_people" | "two_others";
            /** @enum {unknown} */
            schema: 1;
            nodes: components["schemas"]["Node"][];
            edges: components["schemas"]["Edge"][];
            annotations?: components["schemas"]["Annotation"][];
        };
        /** @description A variable: its first value, and whether it lasts for a conversation. */
        Variable: {
            default?: unknown;
            /** @enum {unknown} */
            scope?: "run" | "conversation";
        };
        /** @description What one run may use. */
        Budgets: {
            tokens?: number;
            cost?: number;
            seconds?: number;
            tool_calls?: number;
            /** @enum {unknown} */
            on_limit?: "stop" | "ask";
        };
        /** @description How many runs of the workflow go on at once (`concurrency.Concurrency`). */
        Concurrency: {
            key?: string;
            limit?: number;
            /** @enum {unknown} */
            when_busy?: "queue" | "refuse";
        };
        /** @description A node. `parent` = the frame around it, `pinned` = outputs that a draft run uses instead of running it. */
        Node: {
            id: string;
            type: string;
            v?: number;
            title?: string;
            parent?: string | null;
            position?: components["schemas"]["Point"];
            size?: components["schemas"]["Extent"];
            config?: {
                [key: string]: unknown;
            };
            /** @enum {unknown} */
            on_error?: "fail" | "continue" | "port";
            retry?: components["schemas"]["Retry"] | null;
            timeout_s?: number | null;
            disabled?: boolean;
            pinned?: {
                [key: string]: unknown;
            } | null;
            round?: {
                [key: string]: unknown;
            } | null;
        };
        /** @description A place on the canvas. */
        Point: {
            x: number;
            y: number;
        };
        /** @description Width and height on the canvas. */
        Extent: {
            width: number;
            height: number;
        };
        /** @description How often and how soon a failed step is repeated (`types.Retry`). */
        Retry: {
            max?: number;
            delay_s?: number;
            factor?: number;
            max_delay_s?: number;
        };
        /** @description An edge between the ports of two nodes. */
        Edge: {
            id: string;
            source: string;
            source_port?: string;
            target: string;
            target_port?: string;
        };
        /** @description A note, or a group around nodes. */
        Annotation: {
            id: string;
            /** @enum {unknown} */
            kind: "note" | "group";
            text: string;
            position: components["schemas"]["Point"];
            size: components["schemas"]["Extent"];
            color?: string;
        };
        /** @description FLOW_QUEUED; of a retry or fork what it goes on from: events 2 to `copied_seq` were taken over. */
        FlowQueuedData: {
            origin_run?: string;
            origin_step?: string | null;
            origin_node?: string | null;
            copied_seq?: number;
        };
        /** @description FLOW_START of a run: `version` null = a draft, `patchbay` = the version of Patchbay that began it. */
        FlowStartData: {
            inputs: {
                [key: string]: unknown;
            };
            version: number | null;
            patchbay: string;
            servers_off?: components["schemas"]["RegistryServerOff"][];
        };
        /** @description A server that somebody switched off for models. */
        RegistryServerOff: {
            id: string;
            slug: string;
            name: string;
        };
        /** @description FLOW_START of a planner's plan (with a node). */
        PlanStartData: {
            name: string;
            /** @enum {unknown} */
            risk: "LOW" | "MEDIUM" | "HIGH";
            reason: string;
        };
        /** @description FLOW_RESUME: a worker goes on with the run; `patchbay` = its version. */
        FlowResumeData: {
            patchbay: string;
        };
        /** @description FLOW_STOP: the run waits, or is paused; `error` where Patchbay paused it because it was given back too often. */
        FlowStopData: {
            waiting: components["schemas"]["Waiting"][];
            error?: components["schemas"]["Failure"];
        };
        /** @description Why a run failed. */
        Failure: {
            code: string;
            params: {
                [key: string]: unknown;
            };
            detail: unknown;
            node: string | null;
        };
        /** @description FLOW_SUCCESS of a run; of a planner's plan nothing. */
        FlowSuccessData: {
            outputs?: {
                [key: string]: unknown;
            };
        };
        /** @description FLOW_FAILED, of a plan without `node`. */
        FailureData: {
            code: string;
            params: {
                [key: string]: unknown;
            };
            detail: unknown;
            node?: string | null;
        };
        /** @description FLOW_CANCEL: by whom, as people know them. */
        FlowCancelData: {
            by: string;
        };
        /** @description STEP_INIT; of a planner's step also what was planned. */
        StepInitData: {
            parent?: string;
            attempt: number;
            name?: string;
            tool?: string;
            server?: string;
            description?: string;
        };
        /** @description STEP_INPUT: the node's config with its values, frozen. */
        StepInputData: {
            parent?: string;
            input: {
                [key: string]: unknown;
            };
            /** @enum {unknown} */
            pinned?: true;
        };
        /**
         * @description STEP_OUTPUT: `port` = by which it goes on, null where none; `vars` = the variables that it set. Of a planner's
         *     step the output alone.
         */
        StepOutputData: {
            parent?: string;
            output: {
                [key: string]: unknown;
            };
            port?: string | null;
            vars?: {
                [key: string]: unknown;
            };
        };
        /**
         * @description STEP_ERROR: `port` and `output` where the run goes on in spite of it, `stopping` where it failed because the run
         *     ends, `unknown` = keys of writes of unknown outcome. Of a planner's step `category`, and whether there was one.
         */
        StepErrorData: {
            parent?: string;
            code: string;
            params: {
                [key: string]: unknown;
            };
            detail: unknown;
            unknown?: string[] | true;
            port?: string;
            output?: {
                [key: string]: unknown;
            };
            /** @enum {unknown} */
            stopping?: true;
            category?: string;
        };
        /** @description STEP_SKIP: the node is disabled and goes on by `port`, or a person declined a planner's step. */
        StepSkipData: {
            parent?: string;
            /** @enum {unknown} */
            disabled?: true;
            port?: string;
            /** @enum {unknown} */
            declined?: true;
            reason?: string;
        };
        /** @description STEP_CANCEL: `unknown` = keys of writes of unknown outcome. */
        StepCancelData: {
            parent?: string;
            unknown?: string[];
        };
        /** @description STEP_RETRY: try `attempt` follows. Of a round with a model `call`, and the `fallback` that is asked instead. */
        StepRetryData: {
            parent?: string;
            attempt: number;
            delay_ms: number;
            code: string;
            call?: string;
            fallback?: components["schemas"]["EngineModelName"];
        };
        /** @description A model of a provider. */
        EngineModelName: {
            provider: string;
            model: string;
        };
        /**
         * @description STEP_LOG: a line for people. `workflow` and `run` = the child run that begins, `facts` = what a planner notes,
         *     `code` = why a call was not made.
         */
        StepLogData: {
            parent?: string;
            /** @enum {unknown} */
            level: "debug" | "info" | "warning" | "error";
            text: string;
            workflow?: string;
            run?: string;
            facts?: string[];
            code?: string;
        };
        /** @description STEP_PROGRESS of the call `call`. */
        StepProgressData: {
            parent?: string;
            progress: number;
            total: number | null;
            message: string;
            call: string | null;
        };
        /** @description STEP_WAITING_FOR_START: a call waits for a yes. */
        WaitingForStartData: {
            parent?: string;
            interaction: string;
            key: string;
            title: string;
            message: string;
            tool: components["schemas"]["ToolsToolName"] | null;
            arguments: unknown;
            risk: components["schemas"]["ToolsRisk"] | null;
            /** @enum {unknown} */
            approvers?: "anyone" | "not_starter" | "two_people" | "two_others";
        };
        /** @description Which tool a question is about. */
        ToolsToolName: {
            server: string | null;
            name: string | null;
        };
        /** @description A risk as stored. */
        ToolsRisk: {
            /** @enum {unknown} */
            level: "LOW" | "MEDIUM" | "HIGH";
            reasons: components["schemas"]["RiskReason"][];
        };
        /** @description Why a call is as dangerous as it is: an entry of the catalogue. */
        RiskReason: {
            code: string;
            params: {
                [key: string]: string;
            };
        };
        /** @description STEP_WAITING_FOR_PARAM: a form of what is missing. */
        WaitingForParamData: {
            parent?: string;
            interaction: string;
            key: string;
            title: string;
            message: string;
            schema: {
                [key: string]: unknown;
            } | null;
            params: unknown;
        };
        /** @description STEP_WAITING_FOR_INPUT: any other question. */
        WaitingForInputData: {
            parent?: string;
            interaction: string;
            key: string;
            title: string;
            message: string;
            /** @enum {unknown} */
            kind: "approval" | "params" | "form" | "elicitation" | "recovery" | "budget" | "server" | "mismatch" | "client";
        };
        /** @description STEP_ANSWERED: `by` = the person's public id, `client` = the program in which they answered, by its own word. */
        AnsweredData: {
            parent?: string;
            interaction: string;
            /** @enum {unknown} */
            action: "accept" | "decline" | "cancel" | "retry" | "skip" | "fail";
            by: string;
            reason?: string;
            client?: string;
        };
        /** @description TOOL_REQUEST; `run` = the child run that is the call (server "workflow"). */
        ToolRequestData: {
            call: string;
            server: string;
            tool: string;
            arguments: {
                [key: string]: unknown;
            };
            run?: string;
            parent?: string;
        };
        /** @description TOOL_RESPONSE of a workflow that was called as a tool. */
        ChildResponseData: {
            call: string;
            content: {
                [key: string]: unknown;
            }[];
            structured: unknown;
            is_error: boolean;
            ms: number;
            input_required?: {
                [key: string]: unknown;
            };
            error?: components["schemas"]["CallError"];
            detail?: unknown;
            run?: string;
            parent?: string;
            usage?: {
                [key: string]: number;
            };
        };
        /** @description The error that a call of a tool or model ended with, without its detail. */
        CallError: {
            code: string;
            params: {
                [key: string]: unknown;
            };
            /** @enum {unknown} */
            unknown?: true;
        };
        /** @description LLM_REQUEST: what is not in the request it goes on from. */
        LlmRequestData: {
            call: string;
            provider: string;
            model: string;
            messages: components["schemas"]["LlmMessage"][];
            tools: components["schemas"]["ToolDefinition"][] | null;
            params: {
                [key: string]: unknown;
            };
            base: components["schemas"]["Base"] | null;
            parent?: string;
        };
        /** @description One message of a conversation (see above). */
        LlmMessage: {
            role: string;
            content: string | {
                [key: string]: unknown;
            }[];
            name?: string;
            tool_calls?: components["schemas"]["ToolCall"][];
            tool_call_id?: string;
            attached?: components["schemas"]["Attached"];
        };
        /** @description A call in a message of the assistant. */
        ToolCall: {
            id: string;
            name: string;
            arguments: string;
            attached?: {
                [key: string]: unknown;
            };
        };
        /** @description What a model added to its message: the model that it goes back to (`slug/id`), the fields as they came. */
        Attached: {
            model: string;
            fields: {
                [key: string]: unknown;
            };
        };
        /** @description A tool as a model sees it. */
        ToolDefinition: {
            name: string;
            description: string;
            parameters: {
                [key: string]: unknown;
            };
        };
        /** @description The request that another goes on from. */
        Base: {
            call: string;
            messages: number;
            tools: boolean;
        };
        /** @description LLM_RESPONSE. */
        LlmResponseData: {
            text: string;
            reasoning: string;
            tool_calls: components["schemas"]["ToolCall"][];
            usage: components["schemas"]["LlmUsage"];
            finish: string;
            ms: number;
            attached?: components["schemas"]["Attached"];
            model?: string;
            call: string;
            parent?: string;
        };
        /** @description What a round used; journals of before may lack any of it. */
        LlmUsage: {
            input_tokens: number;
            output_tokens: number;
            cached_tokens: number;
            reasoning_tokens: number;
            cost: number;
            /** @enum {unknown} */
            estimated?: true;
        };
        /** @description LLM_RESPONSE of a round that failed: nothing was said, nothing is known to be used. */
        LlmFailureData: {
            call: string;
            text: string;
            reasoning: string;
            tool_calls: components["schemas"]["ToolCall"][];
            usage: {
                [key: string]: unknown;
            };
            /** @enum {unknown} */
            finish: "error";
            ms: number;
            error: components["schemas"]["CallError"];
            detail?: unknown;
            parent?: string;
        };
        /** @description TEXT_ADD: streamed text of the call `call` from `offset` (code points) on. */
        TextAddData: {
            parent?: string;
            call: string;
            text: string;
            offset: number;
            channel: string;
        };
        /** @description BUDGET_EXCEEDED: which budget of whom is used up. */
        BudgetExceededData: {
            /** @enum {unknown} */
            budget: "tokens" | "cost" | "seconds" | "tool_calls";
            limit: number;
            used: number;
            /** @enum {unknown} */
            scope: "node" | "run" | "team";
        };
        /** @description A client wants a topic: `run:<id>` (events after `after`), `team:<id>`, `workflow:<id>`, `conversation:<id>`. */
        Subscribe: {
            /** @enum {unknown} */
            action: "subscribe";
            topic: string;
            after?: number;
            /** @enum {unknown} */
            language?: "en" | "zh";
        };
        /** @description It wants the topic no more. */
        Unsubscribe: {
            /** @enum {unknown} */
            action: "unsubscribe";
            topic: string;
        };
        /** @description It has read the events up to `seq`. */
        Ack: {
            /** @enum {unknown} */
            action: "ack";
            topic: string;
            seq: number;
        };
        /** @description Events of a run that follow on each other. */
        EventsFrame: {
            topic: string;
            events: components["schemas"]["Event"][];
        };
        /** @description Streamed text that is not stored yet; it may be lost. */
        TextFrame: {
            topic: string;
            text: components["schemas"]["TextPreview"][];
        };
        /** @description A piece of streamed text that is not stored yet; `offset` in code points of its channel. */
        TextPreview: {
            step: string;
            call: string;
            attempt: number;
            channel: string;
            offset: number;
            delta: string;
        };
        /** @description Something changed. */
        HintFrame: {
            topic: string;
            hint: components["schemas"]["Hint"];
        };
        /**
         * @description What changed: the row `id` of a kind (of a private one ""), or all of the kind. `state` of a run, `run` of a
         *     question, `revision` and `by` of a draft.
         */
        Hint: {
            kind: string;
            change?: string;
            id?: string;
            run?: string;
            state?: string;
            revision?: number;
            by?: string;
        };
        /** @description A topic is refused or at an end, or a message (`topic` "") is none. */
        RefusalFrame: {
            topic: string;
            error: components["schemas"]["Refusal"];
        };
        /** @description Why a topic, or a message, is refused. */
        Refusal: {
            code: string;
            message: string;
            request_id: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    audit: {
        parameters: {
            query?: {
                /** @description "run.started", or "run" for all of its kind. */
                action?: string;
                /** @description Id of the person. */
                actor?: string;
                cursor?: string;
                /** @description This moment and later. */
                from?: string;
                /** @description Kind of what it was done to: "workflow", "server" … */
                kind?: string;
                limit?: number;
                /** @description Text that occurs in the row, or in name or e-mail of who did it. */
                q?: string;
                /** @description Id of what it was done to. */
                target?: string;
                /** @description Before this moment. */
                to?: string;
                /** @description Id of the API token. */
                token?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditList"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    audit_chain: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditChain"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    audit_export: {
        parameters: {
            query?: {
                /** @description "run.started", or "run" for all of its kind. */
                action?: string;
                /** @description Id of the person. */
                actor?: string;
                /** @description Lines of JSON in the order of the chain, after this position. */
                after?: number;
                format?: "csv" | "jsonl";
                /** @description This moment and later. */
                from?: string;
                /** @description Kind of what it was done to: "workflow", "server" … */
                kind?: string;
                /** @description Text that occurs in the row, or in name or e-mail of who did it. */
                q?: string;
                /** @description Id of what it was done to. */
                target?: string;
                /** @description Before this moment. */
                to?: string;
                /** @description Id of the API token. */
                token?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                    "application/x-ndjson": string;
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    collections_list: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
                /** @description Only those with a tool of this server, by its id or slug. */
                server?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CollectionList"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    collections_create: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CollectionNewRequest"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CollectionDetail"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    collections_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CollectionDetail"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    collections_delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No response body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    collections_update: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PatchedCollectionPatchRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CollectionDetail"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    collections_content_add: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CollectionContentNewRequest"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CollectionContent"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    collections_content_remove: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                content: string;
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No response body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    collections_content_edit: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                content: string;
                key: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PatchedCollectionContentPatchRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CollectionContent"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    collections_tokens: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenList"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    collections_token_create: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CollectionTokenRequest"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Token"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    collections_add: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["CollectionToolNewRequest"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CollectionTool"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    collections_remove: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                entry: string;
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No response body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    collections_edit: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                entry: string;
                key: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PatchedCollectionToolPatchRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CollectionTool"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    conversations_list: {
        parameters: {
            query?: {
                cursor?: string;
                /** @description true: those with the draft; else those with what is published. */
                draft?: boolean;
                limit?: number;
                /** @description Only those in this chat. */
                trigger?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConversationList"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    conversations_get: {
        parameters: {
            query?: {
                /** @description A turn: those before it. */
                before?: string;
            };
            header?: never;
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConversationDetail"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    conversations_delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No response body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    conversations_update: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PatchedConversationChangesRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Conversation"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    conversations_export: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConversationExport"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    file_create: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": components["schemas"]["UploadRequest"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FileValue"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    file: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    graph_schema: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    health: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    interactions_list: {
        parameters: {
            query?: {
                /** @description Without those that stand in a group. */
                alone?: boolean;
                cursor?: string;
                id?: string;
                limit?: number;
                run?: string;
                state?: "answered" | "cancelled" | "expired" | "open";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InteractionList"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    interactions_answer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AnswerRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Interaction"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    interactions_answers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AnswersRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AnsweredList"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    interactions_groups: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OutageList"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    invitation_accept: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InvitationAcceptRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    invitation_look: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InvitationTextRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvitationSeen"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    declarations_list: {
        parameters: {
            query?: {
                state?: "approved" | "rejected" | "waiting";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeclarationList"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    declarations_approve: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                digest: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Declaration"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    declarations_card: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                digest: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeclaredAgent"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The server or provider could not be reached, or failed (502, 504). */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    declarations_card_read: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                digest: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeclaredAgent"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The server or provider could not be reached, or failed (502, 504). */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    declarations_card_accept: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                digest: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CardVersionRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeclaredAgent"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    declarations_package_look: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                digest: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Declaration"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    declarations_package_update: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                digest: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewPackageRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Declaration"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    declarations_reject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                digest: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Declaration"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    servers_find: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FindInputRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListedServers"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The server or provider could not be reached, or failed (502, 504). */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    modelscope_deployed: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ModelScopeDeployedRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HostedServers"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The server or provider could not be reached, or failed (502, 504). */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    modelscope_find: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ModelScopeFindRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListedServers"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The server or provider could not be reached, or failed (502, 504). */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    modelscope_read: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ModelScopeServerRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListedServer"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The server or provider could not be reached, or failed (502, 504). */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    servers_api_read: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ApiDocumentRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Api"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The server or provider could not be reached, or failed (502, 504). */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    presets_list: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PresetList"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    servers_list: {
        parameters: {
            query?: {
                cursor?: string;
                /** @description Only servers, or only agents; absent = both. */
                kind?: "agent" | "server";
                limit?: number;
                /** @description attention: those that someone should look at; mine: added by you. */
                only?: "attention" | "mine";
                /** @description Only servers with this in their name, address or command, or in a tool's name. */
                q?: string;
                /** @description newest (as without it) or name. */
                sort?: "name" | "newest";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServerList"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    servers_create: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["NewServerRequest"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Server"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    servers_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                server: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Server"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    servers_delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                server: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No response body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    servers_update: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                server: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PatchedServerInputRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Server"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    servers_calls: {
        parameters: {
            query?: {
                /** @description day: 24 hours, as without it; month: 30 days. */
                span?: "day" | "month";
            };
            header?: never;
            path: {
                server: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServerCalls"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    servers_complete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                server: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CompleteRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Completed"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The server or provider could not be reached, or failed (502, 504). */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    servers_contents_accept: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                server: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ContentsAcceptRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContentsAccepted"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    servers_own: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                server: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OwnCredentials"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    servers_own_delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                server: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No response body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    servers_own_enter: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                server: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PatchedOwnServerKeysRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OwnCredentials"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    servers_grants: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path: {
                server: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GrantList"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    servers_grants_delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                grant: string;
                server: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No response body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    servers_grants_export: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                server: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    servers_modelscope: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                server: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ModelScopeTokenRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Server"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The server or provider could not be reached, or failed (502, 504). */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    servers_package_look: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                server: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Server"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    servers_package_update: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                server: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewPackageRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Server"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    servers_prompts: {
        parameters: {
            query?: {
                cursor?: string;
                /** @description At most 500; absent = 50. */
                limit?: number;
                /** @description Ask the server, whatever is kept. */
                refresh?: boolean;
            };
            header?: never;
            path: {
                server: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PromptList"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The server or provider could not be reached, or failed (502, 504). */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    servers_prompt_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                server: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PromptGetRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PromptFilled"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The server or provider could not be reached, or failed (502, 504). */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    servers_resources: {
        parameters: {
            query?: {
                cursor?: string;
                /** @description At most 500; absent = 50. */
                limit?: number;
                /** @description Ask the server, whatever is kept. */
                refresh?: boolean;
            };
            header?: never;
            path: {
                server: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResourceList"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The server or provider could not be reached, or failed (502, 504). */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    servers_resource_read: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                server: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResourceReadRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResourceRead"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The server or provider could not be reached, or failed (502, 504). */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    servers_sign_in: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                server: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignIn"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    servers_sign_in_fetch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                server: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignIn"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    servers_sign_out: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                server: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No response body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    servers_test: {
        parameters: {
            query?: {
                format?: "json" | "ndjson";
                /** @description How many of the tools the report carries; absent = all, 0 = none. */
                tools?: number;
            };
            header?: never;
            path: {
                server: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Test"];
                    "application/x-ndjson": string;
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    servers_tool_names: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                server: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolNameList"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    servers_tools: {
        parameters: {
            query?: {
                /** @description 1 = only tools whose definition changed. */
                changed?: boolean;
                /** @description `next` of the page before. */
                cursor?: string;
                /** @description Tools per page (1 to 500), changed ones first; absent = all. */
                limit?: number;
                /** @description Only tools of this name; may stand several times. */
                name?: string[];
                /** @description Only tools with this in their name, title or description. */
                q?: string;
                /** @description 1 = connect and list anew (editors). */
                refresh?: boolean;
            };
            header?: never;
            path: {
                server: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolList"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The server or provider could not be reached, or failed (502, 504). */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    servers_tools_update: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                server: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PatchedPoliciesRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PoliciesSet"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    tools_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                server: string;
                tool: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Tool"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    tools_update: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                server: string;
                tool: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PatchedToolPatchRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Tool"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    tools_accept: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                server: string;
                tool: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Tool"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    servers_workflows: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                server: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UsingWorkflowList"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    servers_import: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ImportInputRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Import"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    servers_test_unsaved: {
        parameters: {
            query?: {
                format?: "json" | "ndjson";
                /** @description How many of the tools the report carries; absent = all, 0 = none. */
                tools?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["TrialServerRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Test"];
                    "application/x-ndjson": string;
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    servers_sign_in_begin: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignInAtRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignInBegun"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The server or provider could not be reached, or failed (502, 504). */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    servers_sign_in_return: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReturnedRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignInDone"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    tool_names: {
        parameters: {
            query?: {
                /** @description Of which servers, by id or slug: at most 200; others are left out. */
                server?: string[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServersToolNames"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    tools_call: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CallInputRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Call"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The server or provider could not be reached, or failed (502, 504). */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    me: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    me_update: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PatchedMeChangeRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    me_end_preview: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FateList"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    me_end: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AccountEndRequest"];
            };
        };
        responses: {
            /** @description No response body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    passkeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PasskeyList"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    passkey_create: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasskeyNewRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecoveryCodes"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    passkey_remove: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ProofRequest"];
            };
        };
        responses: {
            /** @description No response body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    passkey_begin: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ProofRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PasskeyOptions"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    me_password: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasswordChangeRequest"];
            };
        };
        responses: {
            /** @description No response body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    me_security: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Security"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    servers_off: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServersOff"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    servers_off_set: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewServersOffRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServersOff"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    me_sessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionList"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    me_session_end: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No response body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    me_sessions_end: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ended"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    two_factor_begin: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ProofRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TwoFactorSetup"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    two_factor_codes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ProofRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecoveryCodes"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    two_factor_confirm: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CodeRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecoveryCodes"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    two_factor_off: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ProofRequest"];
            };
        };
        responses: {
            /** @description No response body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    node_types: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NodeTypeList"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    client_ask: {
        parameters: {
            query?: {
                client_id?: string;
                code_challenge?: string;
                code_challenge_method?: string;
                redirect_uri?: string;
                resource?: string;
                response_type?: string;
                scope?: string;
                state?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClientAsk"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    client_decide: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DecisionRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClientAnswer"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    operator_allow: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AllowanceNewRequest"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Allowance"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    operator_disallow: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No response body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    operator_installation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Installation"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    operator_programs: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
                /** @description Only programs with this in their name, their team's or their command line. */
                q?: string;
                state?: "approved" | "rejected" | "waiting";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProgramList"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    operator_program_approve: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Program"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    operator_program_reject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Program"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    operator_storage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InstallationStorage"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    operator_workers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InstallationWorkers"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    provider_presets_list: {
        parameters: {
            query?: {
                /** @description 1 = see which model servers run on this machine (admins). Without it nothing connects. */
                look?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProviderPresetList"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    providers_list: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
                /** @description Only providers with this in their name, slug or address. */
                q?: string;
                /** @description newest (as without it) or name. */
                sort?: "name" | "newest";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProviderList"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    providers_create: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["NewProviderRequest"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Provider"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    providers_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                provider: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Provider"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    providers_delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                provider: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No response body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    providers_update: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                provider: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PatchedProviderInputRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Provider"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    providers_own: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                provider: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OwnCredentials"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    providers_own_delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                provider: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No response body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    providers_own_enter: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                provider: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PatchedOwnKeysRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OwnCredentials"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    providers_models: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                provider: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProviderModelList"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The server or provider could not be reached, or failed (502, 504). */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    providers_test: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                provider: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["TestProviderRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProviderTest"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    providers_test_unsaved: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["TrialProviderRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProviderTest"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    queue: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Queue"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    ready: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ready"];
                };
            };
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ready"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    restored_runs_list: {
        parameters: {
            query?: {
                /** @description 0 = only how many there are. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RestoredList"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    restored_runs_resume: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ResumeRestoredRequest"];
            };
        };
        responses: {
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Resumed"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    runs_callers: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
                /** @description Names that hold it. */
                q?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallerList"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    runs_list: {
        parameters: {
            query?: {
                /** @description Runs that a program with this name started (`caller.name`). */
                caller?: string;
                cursor?: string;
                limit?: number;
                /** @description Runs that this run started. */
                parent?: string;
                state?: "CANCELLED" | "ERROR" | "PAUSED" | "QUEUED" | "RUNNING" | "SUCCESS" | "WAITING";
                workflow?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunList"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    runs_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunDetail"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    runs_delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No response body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    runs_cancel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    runs_events: {
        parameters: {
            query?: {
                after?: number;
                limit?: number;
                /** @description Only what happened in it: node:index, outermost first, by commas. */
                round?: string;
            };
            header?: never;
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventList"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    runs_fork: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key, the same run. */
                "Idempotency-Key"?: string;
            };
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ForkRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Again"];
                };
            };
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    runs_keep: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["KeepRequest"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Workflow"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    runs_pause: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    runs_restored: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Restored"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    runs_resume: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    runs_retry: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key, the same run. */
                "Idempotency-Key"?: string;
            };
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RetryRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Again"];
                };
            };
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    runs_rounds: {
        parameters: {
            query: {
                /** @description Only rounds with a higher number. */
                after?: number;
                limit?: number;
                /** @description The iteration or loop. */
                node: string;
                /** @description The rounds around it: node:index, outermost first, by commas. */
                path?: string;
                state?: "CANCELLED" | "ERROR" | "RUNNING" | "SUCCESS";
            };
            header?: never;
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RoundList"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    secrets: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SecretList"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    secret_create: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SecretNewRequest"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Secret"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    secret_delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No response body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    secret_update: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PatchedSecretChangeRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Secret"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    setup: {
        parameters: {
            query: {
                token: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Setup"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    setup_use: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetupUseRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    passkey_sign_in: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasskeyAnswerRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    passkey_sign_in_begin: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PasskeyOptions"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    spending: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Spending"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    sso_callback: {
        parameters: {
            query?: {
                code?: string;
                error?: string;
                state?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No response body */
            302: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    sso_start: {
        parameters: {
            query?: {
                /** @description The page to come back to. */
                next?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No response body */
            302: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    teams: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TeamList"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    team_create: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TeamNewRequest"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Team"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    team: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Team"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    team_delete: {
        parameters: {
            query: {
                /** @description The team's name, typed again. */
                name: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No response body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    team_update: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PatchedTeamChangeRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Team"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    team_belongings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Belongings"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    team_leave: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PrivateRequest"];
            };
        };
        responses: {
            /** @description No response body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    team_transfer: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TransferRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    invitations: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvitationList"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    invitation_create: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InvitationNewRequest"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invitation"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    invitation_delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No response body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    members: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
                /** @description Only members with this in their name or e-mail. */
                q?: string;
                role?: "admin" | "editor" | "owner" | "viewer";
                /** @description Only this person. */
                user?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemberList"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    member_remove: {
        parameters: {
            query?: {
                /** @description What becomes of what is theirs alone: delete. */
                private?: "delete" | "hand_over";
            };
            header?: never;
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No response body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    member_update: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PatchedMemberChangeRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    member_belongings: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Belongings"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    tokens: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
                /** @description One's own, or for admins all of the team's. */
                of?: "me" | "team";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenList"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    token_create: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TokenNewRequest"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Token"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    token_delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No response body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    triggers_list: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerList"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    triggers_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Trigger"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    triggers_delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No response body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    triggers_update: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PatchedTriggerChangesRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Trigger"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    chat_write: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key, the same run. */
                "Idempotency-Key"?: string;
            };
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["MessageRequest"];
            };
        };
        responses: {
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    triggers_conversations: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageTalkList"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    triggers_deliveries: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryList"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    triggers_replay: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                delivery: string;
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    triggers_deliveries_export: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    pages_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    pages_conversation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key: string;
                talk: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VisitConversation"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    pages_conversation_delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key: string;
                talk: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No response body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    pages_conversation_export: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key: string;
                talk: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VisitConversationExport"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    pages_send: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["VisitRequest"];
            };
        };
        responses: {
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Visit"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    pages_visit: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key: string;
                visit: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Visit"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    triggers_rotate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewTrigger"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    triggers_test: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["TestTriggerRequest"];
            };
        };
        responses: {
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    usage: {
        parameters: {
            query?: {
                /** @description day unless said. */
                by?: "day" | "member" | "model" | "server" | "workflow";
                /** @description First day, YYYY-MM-DD (UTC); 30 days unless said. */
                from?: string;
                /** @description Last day; today unless said. */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UsageReport"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    usage_storage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Storage"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    workflow_templates_list: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TemplateList"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    workflows_list: {
        parameters: {
            query?: {
                cursor?: string;
                /** @description Only workflows of these ids or slugs, at most 200; no pages. */
                id?: string[];
                limit?: number;
                /** @description Only those with a published version. */
                published?: boolean;
                /** @description Only workflows with this in their name, slug or description. */
                q?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkflowList"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    workflows_create: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["NewWorkflowRequest"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Workflow"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    workflows_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                workflow: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Workflow"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    workflows_delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                workflow: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No response body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    workflows_update: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                workflow: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PatchedWorkflowPatchRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Workflow"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    workflow_agent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                workflow: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OfferedAgent"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    workflow_agui: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                workflow: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FrontEndOffer"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    workflows_compare: {
        parameters: {
            query: {
                /** @description A version's number or "draft". */
                from: string;
                /** @description A version's number or "draft" (default). */
                to?: string;
            };
            header?: never;
            path: {
                workflow: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Comparison"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    workflows_save_draft: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                workflow: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DraftInputRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DraftSaved"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    workflows_drafts: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                workflow: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevisionList"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    workflows_draft: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                revision: number;
                workflow: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevisionGraph"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    workflows_restore_draft: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                revision: number;
                workflow: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DraftSaved"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    workflows_duplicate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                workflow: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["DuplicateRequest"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Workflow"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    workflows_export: {
        parameters: {
            query?: {
                format?: "json" | "yaml";
                /** @description A version's number or "draft" (default). */
                version?: string;
            };
            header?: never;
            path: {
                workflow: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                    "application/yaml": {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    workflow_offer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                workflow: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Offer"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    workflows_publish: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                workflow: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PublishInputRequest"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Version"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    runs_start: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key, the same run. */
                "Idempotency-Key"?: string;
            };
            path: {
                workflow: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["StartRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    workflow_tests_list: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path: {
                workflow: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkflowTestList"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    workflow_tests_create: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                workflow: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SaveTestRequest"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkflowTest"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    workflow_tests_delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                test: string;
                workflow: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No response body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    workflow_tests_run: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                test: string;
                workflow: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RunTestRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TestResult"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    workflow_triggers_list: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path: {
                workflow: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerList"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    triggers_create: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                workflow: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewTriggerRequest"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewTrigger"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    workflows_validate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                workflow: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ValidateInputRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Validation"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    workflows_versions: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path: {
                workflow: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VersionList"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    workflows_version: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                number: number;
                workflow: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VersionGraph"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    workflows_import: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ImportWorkflowRequest"];
                "application/yaml": components["schemas"]["ImportWorkflowRequest"];
                "text/plain": components["schemas"]["ImportWorkflowRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportReportAnswer"];
                };
            };
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportedWorkflow"];
                };
            };
            /** @description Refused. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
}
