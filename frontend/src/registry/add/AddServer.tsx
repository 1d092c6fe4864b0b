/** Adding a server: found, by preset, URL, command or OpenAPI document, or from another client's JSON. */
import { Braces, Link2, List, Search, Terminal, Webhook } from 'lucide-react'
import { Suspense, useState } from 'react'
import type { Server } from '@/api/servers'
import { useT } from '@/i18n'
import { LateAddApi } from '@/registry/openapi/late'
import { Dialog, Skeleton, TabPanel, Tabs, useTabsId } from '@/ui'
import { ByCommand, ByUrl } from './AddByHand'
import { ByJson } from './AddByJson'
import { ByPreset } from './AddByPreset'
import { FindServer } from './FindServer'

type Way = 'find' | 'preset' | 'url' | 'command' | 'openapi' | 'json'

export function AddServer({
  onClose,
  onAdded,
}: {
  readonly onClose: () => void
  readonly onAdded: (servers: readonly Server[]) => void
}) {
  const t = useT()
  const id = useTabsId()
  const [way, setWay] = useState<Way>('preset')
  const added = (servers: readonly Server[]) => {
    onClose()
    onAdded(servers)
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={t('registry.add_server')}
      bare
      header={
        <Tabs<Way>
          id={id}
          label={t('registry.ways')}
          value={way}
          onChange={setWay}
          items={[
            { value: 'find', label: t('registry.by_find'), icon: <Search aria-hidden /> },
            { value: 'preset', label: t('registry.by_preset'), icon: <List aria-hidden /> },
            { value: 'url', label: t('registry.by_url'), icon: <Link2 aria-hidden /> },
            { value: 'command', label: t('registry.by_command'), icon: <Terminal aria-hidden /> },
            { value: 'openapi', label: 'OpenAPI', icon: <Webhook aria-hidden /> },
            { value: 'json', label: t('registry.by_json'), icon: <Braces aria-hidden /> },
          ]}
        />
      }
    >
      <TabPanel id={id} value={way} className="flex min-h-0 flex-1 flex-col">
        {way === 'find' ? <FindServer onAdded={added} /> : null}
        {way === 'preset' ? <ByPreset onAdded={added} /> : null}
        {way === 'url' ? <ByUrl onAdded={added} /> : null}
        {way === 'command' ? <ByCommand onAdded={added} /> : null}
        {way === 'openapi' ? (
          <Suspense fallback={<Skeleton rows={4} />}>
            <LateAddApi onAdded={added} />
          </Suspense>
        ) : null}
        {way === 'json' ? <ByJson onAdded={added} onClose={onClose} /> : null}
      </TabPanel>
    </Dialog>
  )
}
