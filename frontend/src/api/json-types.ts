/** What an error of the API holds where OpenAPI describes it as anything. */

/** `detail` of APPROVAL_REQUIRED: what the gate asks before a direct call. */
export interface ApprovalDetail {
  readonly risk?: { readonly level: 'LOW' | 'MEDIUM' | 'HIGH'; readonly reasons: readonly string[] }
}
