/** The JSON fields of the API, which OpenAPI describes as anything: what they hold in truth. */

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

/** Hints a tool gives about itself; counted only where the server is trusted. */
export interface ToolAnnotations {
  readonly title?: string
  readonly readOnlyHint?: boolean
  readonly destructiveHint?: boolean
  readonly idempotentHint?: boolean
  readonly openWorldHint?: boolean
}

/** A block of a tool's answer, as MCP has them. */
export type ContentBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image' | 'audio'; readonly data: string; readonly mimeType: string }
  | {
      readonly type: 'resource'
      readonly resource: {
        readonly uri: string
        readonly mimeType?: string
        readonly text?: string
        readonly blob?: string
      }
    }
  | {
      readonly type: 'resource_link'
      readonly uri: string
      readonly name?: string
      readonly description?: string
    }

/** `detail` of APPROVAL_REQUIRED: what the gate asks before a direct call. */
export interface ApprovalDetail {
  readonly risk?: { readonly level: 'LOW' | 'MEDIUM' | 'HIGH'; readonly reasons: readonly string[] }
}
