/** Servers that ModelScope hosts for a person: listed by their token, added, their addresses looked up again. */
export const modelscope = {
  token: 'ModelScope access token',
  token_hint: 'From your account’s access tokens at ModelScope. Used for this request and not kept.',
  show: 'Show my servers',
  none: 'Nothing is deployed in this account.',
  no_address: 'no working address',
  added: 'added',
  expires: 'expires {date}',
  note: 'Addresses are stored encrypted and shown masked.',
  hosted: 'ModelScope',
  look_up: 'Look up address again',
  looked_up: 'Address looked up. Test the connection.',
} as const
