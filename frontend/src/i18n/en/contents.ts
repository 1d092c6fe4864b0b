/** What is said of resources and prompts of servers: in the editors of their nodes and on a server's page. */
export const contents = {
  choose_resource: 'Choose from the server',
  nothing_chosen: 'Choose …',
  resources: 'Resources',
  templates: 'Templates',
  uri: 'URI',
  uri_hint: 'A resource that the server lists, one of its templates, or an expression that gives a URI.',
  arguments: 'Arguments',
  prompt: 'Prompt',
  unknown_prompt: '{name} (not listed)',
  no_arguments: 'This prompt takes no arguments.',
  choose_first: 'Choose a prompt to see its arguments.',
  failed: 'The server could not be asked what it offers.',
  nothing_offered: 'The server offers none.',
} as const
