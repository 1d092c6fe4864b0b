/** Where an agent is and how one signs in to it: its part of the settings. */
import type { Server } from '@/api/servers'
import { type FieldsProps, Headers, Timeout } from '@/registry/fields'
import { ApiAuth } from '@/registry/openapi/ApiAuth'
import { AgentAddress } from './AgentAddress'

export function AgentSettings({ server, ...props }: FieldsProps & { readonly server: Server }) {
  const { draft } = props
  return (
    <>
      <AgentAddress {...props} secret={server.url_secret ? server.url : ''} />
      <Timeout {...props} />
      <ApiAuth
        {...props}
        oauth
        kept={{ secret: server.oauth_client_secret_set, key: server.oauth_private_key_set }}
        keyHint={server.api_key_set ? server.api_key_hint : ''}
        keyElsewhere={server.credentials === 'user' && draft.credentials === 'user'}
      />
      <Headers {...props} />
    </>
  )
}
