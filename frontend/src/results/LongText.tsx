/** A text of any length: its beginning at once, all of it when it is asked for. */
import { useState } from 'react'
import { useT } from '@/i18n'
import { Button, CodeBlock, number } from '@/ui'

/** Characters that a page draws without being felt. */
const AT_ONCE = 40_000

export function LongText({ text, label, maxHeight }: { text: string; label: string; maxHeight: number }) {
  const t = useT()
  const [all, setAll] = useState(false)
  if (all || text.length <= AT_ONCE * 1.25) {
    return <CodeBlock code={text} small label={label} maxHeight={maxHeight} />
  }
  return (
    <div className="grid gap-1 min-w-0">
      <CodeBlock code={`${text.slice(0, AT_ONCE)}…`} small label={label} maxHeight={maxHeight} copy={false} />
      <div>
        <Button size="small" variant="quiet" onClick={() => setAll(true)}>
          {t('results.show_all', { n: number(text.length) })}
        </Button>
      </div>
    </div>
  )
}
