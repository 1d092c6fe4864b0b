/** Whom the deletion of a server hits: workflows that name it, collections that hold tools of it. */
import { useQuery } from '@tanstack/react-query'
import { collectionsWithQuery } from '@/api/collections'
import { type Server, workflowsNamingQuery } from '@/api/servers'
import { useT } from '@/i18n'
import { visible } from '@/ui'

/** Names that are shown; of more there is the number. */
const SHOWN = 8

function Hit({
  says,
  rows,
}: {
  readonly says: string
  readonly rows: readonly { id: string; name: string }[]
}) {
  const t = useT()
  const more = rows.length - SHOWN
  return (
    <div className="pt-2 text-waiting">
      <p>{says}</p>
      <ul className="list-disc pl-5">
        {rows.slice(0, SHOWN).map(({ id, name }) => (
          <li key={id} className="break-words">
            {visible(name)}
          </li>
        ))}
        {more > 0 ? <li>{t('registry.delete_more', { n: more })}</li> : null}
      </ul>
    </div>
  )
}

export function Affected({ server }: { readonly server: Server }) {
  const t = useT()
  const workflows = useQuery(workflowsNamingQuery(server))
  const collections = useQuery(collectionsWithQuery(server.id))
  const named = workflows.data?.results ?? []
  const held = collections.data ?? []
  const used = Math.max(named.length, server.workflows)
  return (
    <>
      {used > 0 ? <Hit says={t('registry.delete_used', { n: used })} rows={named} /> : null}
      {held.length > 0 ? <Hit says={t('registry.delete_collected', { n: held.length })} rows={held} /> : null}
      {workflows.error || collections.error ? (
        <p className="pt-2 text-waiting">{t('registry.delete_unknown')}</p>
      ) : null}
    </>
  )
}
