/** What each kind of thing besides tools is called. */
export const KINDS = {
  resource: 'collections.kind_resource',
  template: 'collections.kind_template',
  prompt: 'collections.kind_prompt',
} as const
