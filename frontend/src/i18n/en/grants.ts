/** Sentences about approvals that were given for good, loaded with the page of a server. */
export const grants = {
  title: 'Permanent approvals',
  text: 'Calls of these tools run without asking, because somebody allowed it for good.',
  failed: 'The permanent approvals could not be loaded.',
  export: 'Export',
  of_tool: 'any call',
  of_arguments: 'exactly these arguments',
  gone: 'a deleted workflow',
  void: 'No longer valid',
  void_tip: 'The tool or the server changed since, so calls ask again.',
  withdraw: 'Withdraw',
  withdraw_of: 'Withdraw the approval for {tool} in {workflow}',
  withdraw_title: 'Withdraw this approval?',
  withdraw_text: 'The next call of {tool} in {workflow} asks again.',
} as const
