/** Types of the API, generated from its OpenAPI document by `npm run apigen`. Not to be edited. */

export interface paths {
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
    "/api/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description 200 once this process takes work. */
        get: operations["ready"];
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
        post?: never;
        delete?: never;
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
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description A file as it stands in a value. */
        FileValue: {
            id: string;
            name: string;
            mime: string;
            size: number;
        };
        /** @description `status` is "ok" once web and worker take work, "starting" before. */
        Health: {
            status: components["schemas"]["StatusEnum"];
            version: string;
            mode: components["schemas"]["ModeEnum"];
        };
        /**
         * @description * `en` - en
         *     * `zh` - zh
         * @enum {string}
         */
        LanguageEnum: "en" | "zh";
        /** @description The person signed in. */
        Me: {
            id: string;
            /** Format: email */
            email: string;
            name: string;
            language: components["schemas"]["LanguageEnum"];
            theme: components["schemas"]["ThemeEnum"];
            auto_execute: boolean;
            team: components["schemas"]["TeamRef"];
            teams: components["schemas"]["TeamRef"][];
        };
        /** @description A member of the team. */
        Member: {
            id: string;
            user: string;
            /** Format: email */
            email: string;
            name: string;
            role: components["schemas"]["RoleEnum"];
            /** Format: date-time */
            joined_at: string;
        };
        /** @description Members, by e-mail. */
        MemberList: {
            results: components["schemas"]["Member"][];
            next: string | null;
        };
        /**
         * @description * `embedded` - embedded
         *     * `scaled` - scaled
         * @enum {string}
         */
        ModeEnum: "embedded" | "scaled";
        /** @description What one may change about oneself. */
        PatchedMeChangeRequest: {
            name?: string;
            language?: components["schemas"]["LanguageEnum"];
            theme?: components["schemas"]["ThemeEnum"];
            auto_execute?: boolean;
        };
        /** @description A new value or new hosts. */
        PatchedSecretChangeRequest: {
            value?: string;
            hosts?: string[];
        };
        /**
         * @description * `first_owner` - first_owner
         *     * `sign_in` - sign_in
         * @enum {string}
         */
        PurposeEnum: "first_owner" | "sign_in";
        /**
         * @description * `viewer` - Viewer
         *     * `editor` - Editor
         *     * `admin` - Admin
         *     * `owner` - Owner
         * @enum {string}
         */
        RoleEnum: "viewer" | "editor" | "admin" | "owner";
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
         * @description * `ok` - ok
         *     * `starting` - starting
         *     * `error` - error
         * @enum {string}
         */
        StatusEnum: "ok" | "starting" | "error";
        /** @description One's teams. */
        TeamList: {
            results: components["schemas"]["TeamRef"][];
            next: string | null;
        };
        /** @description A team and one's role in it. */
        TeamRef: {
            id: string;
            name: string;
            slug: string;
            role: components["schemas"]["RoleEnum"];
        };
        /**
         * @description * `system` - system
         *     * `light` - light
         *     * `dark` - dark
         * @enum {string}
         */
        ThemeEnum: "system" | "light" | "dark";
        /** @description An API token; `token` is its text, there only in the answer that makes it. */
        Token: {
            id: string;
            name: string;
            prefix: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            expires_at: string | null;
            /** Format: date-time */
            last_used_at: string | null;
            token?: string;
        };
        /** @description One's tokens, newest first. */
        TokenList: {
            results: components["schemas"]["Token"][];
            next: string | null;
        };
        /** @description A token to make. */
        TokenNewRequest: {
            name: string;
            expires_in_days?: number | null;
        };
        /** @description A file to keep (multipart). */
        UploadRequest: {
            /** Format: binary */
            file: string;
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
        };
    };
    members: {
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
                    "application/json": components["schemas"]["MemberList"];
                };
            };
        };
    };
    tokens: {
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
                    "application/json": components["schemas"]["TokenList"];
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
        };
    };
}
