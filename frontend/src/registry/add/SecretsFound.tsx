/** What of a configuration will be kept as a secret, said before it is saved. The server looks; nothing is stored. */
import { KeyRound } from 'lucide-react'
import { useEffect } from 'react'
import { listOf, useT } from '@/i18n'
import { type NewServer, useImport } from '@/registry/mutations'
import { Callout } from '@/ui'

const PAUSE_MS = 500
/** A name that no server has, so that none is "there already". */
const NAME = '\u2063draft\u2063'

/** The part of a draft in which a secret could stand in the clear. */
function openPart(server: NewServer): string {
  const { command, args, env, url, headers, url_secret } = server
  const entry = command ? { command, args, env } : url && !url_secret ? { url, headers } : null
  return entry ? JSON.stringify({ [NAME]: entry }) : ''
}

export function SecretsFound({ server }: { readonly server: NewServer }) {
  const t = useT()
  const { mutate, data, reset } = useImport()
  const open = openPart(server)
  useEffect(() => {
    if (!open) return reset()
    const timer = window.setTimeout(() => mutate({ config: JSON.parse(open), preview: true }), PAUSE_MS)
    return () => window.clearTimeout(timer)
  }, [open, mutate, reset])
  const match = open ? data?.found[0] : undefined
  if (!match || match.secrets.length === 0) return null
  return (
    <Callout tone="idle">
      <p className="flex items-center gap-1 text-sm" role="status">
        <KeyRound size={12} aria-hidden /> {t('registry.will_be_secret', { names: listOf(match.secrets) })}
      </p>
      {match.secrets.includes('args') || match.secrets.includes('url') ? (
        <p className="font-mono text-xs break-all text-muted">{match.target}</p>
      ) : null}
    </Callout>
  )
}
