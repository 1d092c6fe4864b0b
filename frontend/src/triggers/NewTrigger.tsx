/** The way to a new trigger: its kind, its form, and of a webhook or a page its address, shown once. */
import { ChevronDown, Plus } from 'lucide-react'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { useMay } from '@/api/queries'
import type { NewTrigger, TriggerKind } from '@/api/triggers'
import { useT } from '@/i18n'
import { Button, Menu } from '@/ui'
import { Address } from './Address'
import { KINDS, KindIcon, kindKey, ofAdmins } from './parts'
import { NewTriggerForm } from './TriggerForm'

/** What is asked for, one after the other: the settings, then the address to be kept. `asked` = the kind to begin with. */
export function useNewTrigger(workflow: string, requested: string | null) {
  const [, navigate] = useLocation()
  const [kind, setKind] = useState<TriggerKind | null>(KINDS.find((known) => known === requested) ?? null)
  const [addressed, setAddressed] = useState<NewTrigger | null>(null)
  const show = (trigger: NewTrigger) => navigate(`/triggers/${trigger.id}`)
  const dialogs = (
    <>
      {kind ? (
        <NewTriggerForm
          kind={kind}
          workflow={workflow}
          onClose={() => setKind(null)}
          onCreated={(trigger) => {
            setKind(null)
            if (trigger.url) setAddressed(trigger)
            else show(trigger)
          }}
        />
      ) : null}
      {addressed ? <Address trigger={addressed} onClose={() => show(addressed)} /> : null}
    </>
  )
  return { make: setKind, dialogs }
}

export function NewTriggerMenu({ onChoose }: { readonly onChoose: (kind: TriggerKind) => void }) {
  const t = useT()
  const admin = useMay('admin')
  const editor = useMay('editor')
  const button = (blocked?: string) => (
    <Button variant="primary" icon={<Plus aria-hidden />} blocked={blocked}>
      {t('triggers.new')}
      <ChevronDown size={12} aria-hidden />
    </Button>
  )
  if (!editor) return button(t('triggers.editors_only'))
  return (
    <Menu
      align="end"
      label={t('triggers.new')}
      trigger={button()}
      items={KINDS.map((kind) => ({
        label: t(kindKey(kind)),
        icon: <KindIcon kind={kind} />,
        disabled: ofAdmins(kind) && !admin,
        onSelect: () => onChoose(kind),
      }))}
    />
  )
}

/** In the place of a list without triggers: what kinds there are, each a way to make one. */
export function KindCards({ onChoose }: { readonly onChoose: (kind: TriggerKind) => void }) {
  const t = useT()
  const admin = useMay('admin')
  const editor = useMay('editor')
  if (!editor) return null
  return (
    <ul className="grid max-w-350 grid-cols-[repeat(auto-fill,minmax(230px,1fr))] gap-3 px-4 pb-4">
      {KINDS.map((kind) => (
        <li key={kind} className="flex flex-col gap-2 rounded-md border border-line p-4">
          <h3 className="flex items-center gap-2 font-semibold">
            <KindIcon kind={kind} />
            {t(kindKey(kind))}
          </h3>
          <p className="text-sm text-muted">{t(`triggers.${kind}_text`)}</p>
          <div className="mt-auto">
            <Button
              blocked={ofAdmins(kind) && !admin ? t('triggers.admins_only') : undefined}
              onClick={() => onChoose(kind)}
            >
              {t('triggers.new_of', { kind: t(kindKey(kind)) })}
            </Button>
          </div>
        </li>
      ))}
    </ul>
  )
}
