/** Which two documents are compared: the draft, a version, a draft that is kept, or the run one came from. */
import { useQuery } from '@tanstack/react-query'
import { ArrowLeftRight } from 'lucide-react'
import { revisionsQuery } from '@/api/versions'
import { versionsQuery } from '@/api/workflows'
import { useT } from '@/i18n'
import { dateTime, IconButton, isoDate, Select } from '@/ui'
import { sideName } from './documents'
import { DRAFT, type Pair, readSide, type Side, writeSide } from './sides'

/** What can be chosen: everything that is kept, and what is chosen already. */
function useSides(workflow: string, published: number | null, chosen: Side) {
  const t = useT()
  const { data: versions = [] } = useQuery(versionsQuery(workflow))
  const { data: revisions = [] } = useQuery(revisionsQuery(workflow))
  const options = [
    { value: 'draft', label: sideName(DRAFT, t) },
    ...versions.map(({ version, published_at }) => ({
      value: String(version),
      label: [`v${version}`, isoDate(published_at), version === published ? t('versions.published') : '']
        .filter(Boolean)
        .join(' · '),
    })),
    ...revisions
      .filter((each) => !each.current)
      .map(({ revision, at, by }) => ({
        value: `r${revision}`,
        label: [t('versions.revision', { n: String(revision) }), dateTime(at), by]
          .filter(Boolean)
          .join(' · '),
      })),
  ]
  const value = writeSide(chosen)
  if (!options.some((option) => option.value === value)) options.push({ value, label: sideName(chosen, t) })
  return { value, options }
}

interface OneSideProps {
  readonly label: string
  readonly workflow: string
  readonly published: number | null
  readonly side: Side
  readonly onSide: (side: Side) => void
}

function SideSelect({ label, workflow, published, side, onSide }: OneSideProps) {
  const { value, options } = useSides(workflow, published, side)
  return (
    <Select
      small
      className="side-select"
      aria-label={label}
      value={value}
      options={options}
      onChange={(next) => onSide(readSide(next) ?? DRAFT)}
    />
  )
}

export interface SidePickerProps {
  readonly workflow: string
  readonly published: number | null
  readonly pair: Pair
  readonly onPair: (pair: Pair) => void
}

export function SidePicker({ workflow, published, pair, onPair }: SidePickerProps) {
  const t = useT()
  const { before, after } = pair
  return (
    <div className="side-picker">
      <SideSelect
        label={t('versions.earlier')}
        workflow={workflow}
        published={published}
        side={before}
        onSide={(side) => onPair({ before: side, after })}
      />
      <IconButton
        label={t('versions.swap')}
        keys="x"
        onClick={() => onPair({ before: after, after: before })}
      >
        <ArrowLeftRight />
      </IconButton>
      <SideSelect
        label={t('versions.later')}
        workflow={workflow}
        published={published}
        side={after}
        onSide={(side) => onPair({ before, after: side })}
      />
    </div>
  )
}
