/** The way to the programs of all teams for operators, and what a server's page says of its own. */
import { useQuery } from '@tanstack/react-query'
import { Hand } from 'lucide-react'
import { useState } from 'react'
import { useMe } from '@/api/queries'
import { programCountsQuery, type Server } from '@/api/servers'
import { useT } from '@/i18n'
import { Code, ProgramDecision, ProgramList } from '@/interactions/programs'
import { Button, Callout, Dialog } from '@/ui'

export function Programs({ onClose }: { readonly onClose: () => void }) {
  const t = useT()
  return (
    <Dialog open onOpenChange={(open) => open || onClose()} title={t('registry.programs')}>
      <p className="pb-3 text-sm text-muted">{t('registry.programs_text')}</p>
      <ProgramList />
    </Dialog>
  )
}

/** For operators, where there is something to decide or was: the way to the programs of all teams. */
export function ProgramsButton() {
  const t = useT()
  const operator = useMe().operator
  const [open, setOpen] = useState(false)
  const { data: counts } = useQuery(programCountsQuery(operator))
  const waiting = counts?.waiting ?? 0
  const decided = counts && (counts.decided > 0 || counts.teams > 1)
  if (!operator || !(waiting || decided || open)) return null
  return (
    <>
      <Button
        variant="quiet"
        icon={<Hand data-tone={waiting ? 'person' : undefined} />}
        onClick={() => setOpen(true)}
      >
        {waiting ? t('registry.programs_wait', { n: waiting }) : t('registry.programs')}
      </Button>
      {open ? <Programs onClose={() => setOpen(false)} /> : null}
    </>
  )
}

/** On a server: that its program waits for an operator, or was rejected. */
export function ProgramWaits({ server }: { readonly server: Server }) {
  const t = useT()
  const operator = useMe().operator
  const [open, setOpen] = useState(false)
  const state = server.approval?.state
  if (state !== 'waiting' && state !== 'rejected') return null
  return (
    <Callout tone="waiting">
      <div className="grid gap-1">
        <p className="font-semibold">{t(`registry.program_is_${state}`)}</p>
        <p className="text-sm text-muted">{t(`registry.program_is_${state}_text`)}</p>
        <Code text={server.approval?.hash ?? ''} />
        {operator ? (
          <div className="pt-1">
            <Button variant="primary" onClick={() => setOpen(true)}>
              {t('registry.programs_review')}
            </Button>
          </div>
        ) : null}
      </div>
      {open ? <Programs onClose={() => setOpen(false)} /> : null}
    </Callout>
  )
}

/** In a server's overview: whose word it was, where one was asked for. */
export function ProgramDecisionNote({ server }: { readonly server: Server }) {
  const { approval } = server
  if (!approval || approval.state === 'free' || approval.state === 'waiting') return null
  return (
    <ProgramDecision
      program={{ state: approval.state, basis: approval.basis, decided_by: approval.decided_by }}
    />
  )
}
