/** What a side is called, when it was made and by whom. */
import { useT } from '@/i18n'
import { dateTime } from '@/ui'
import { type SideDocument, sideName } from './documents'

export function SideFacts({ document }: { readonly document: SideDocument }) {
  const t = useT()
  const { side, at, by } = document
  return (
    <span className="min-w-0 truncate">
      <strong className="font-semibold">{sideName(side, t)}</strong>{' '}
      <span className="text-muted">{[at ? dateTime(at) : '', by ?? ''].filter(Boolean).join(' · ')}</span>
    </span>
  )
}
