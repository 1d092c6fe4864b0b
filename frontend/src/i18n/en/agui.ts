/** A workflow as an agent of front ends that speak AG-UI. */
export const agui = {
  title: 'Front ends (AG-UI)',
  door_text: 'for your own app or page',
  offered: 'Offer to front ends (AG-UI)',
  is_offered: 'Offered',
  is_not_offered: 'Not offered',
  not_runnable: 'Version {version} can no longer be run here. Publish it again.',
  address_text: 'Call it from your app’s backend, with a member’s token.',
  origins_none:
    'Pages of other sites cannot call it directly. An operator can list sites in PATCHBAY_AGUI_ORIGINS.',
  origins: 'Pages of these sites can call it directly: {sites}',
  setup: 'Connect your app',
  setup_text: 'With the AG-UI client for JavaScript (npm: @ag-ui/client):',
  token_here: '<token>',
  token_name: 'Front end: {workflow}',
  new_token: 'New token',
  token_once:
    'The token is in the code below. Copy it now: it is not shown again. It can run this workflow and answer its forms for 90 days. Keep it on your server.',
  viewer: 'Editors can create a token for a front end.',
  values_text: 'This workflow takes no message. Send its inputs as state or forwardedProps.',
  test: 'Live test',
  test_text: 'Starts a run and lists the events as they arrive',
  test_message: 'Message',
  test_hello: 'Hello',
  test_action: 'Run',
  test_needs_token: 'Create a token first.',
  test_events: 'Events',
  test_failed: 'The test failed',
  who_text:
    'A run goes by the token’s member. Front ends answer forms and missing parameters; approvals are decided in the inbox.',
} as const
