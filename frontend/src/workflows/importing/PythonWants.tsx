/** The Python of a document: what it imports, and the code itself to be read before it is taken. */
import { useState } from 'react'
import { listOf, useT } from '@/i18n'
import { CodeBlock } from '@/ui'
import type { Report } from './report'
import { Note } from './Wants'

export function PythonWants({ code }: { code: Report['wants']['code'] }) {
  const t = useT()
  const [seen, setSeen] = useState(false)
  const known = [
    ...new Set(code.flatMap((want) => want.modules.filter((name) => !want.missing.includes(name)))),
  ]
  const fine = code.filter((want) => want.missing.length === 0)
  return (
    <>
      {known.length > 0 ? (
        <div className="import-want-line">
          <span className="truncate font-mono text-xs">{listOf(known)}</span>
          <Note tone="ok" text={t('importing.in_sandbox')} />
        </div>
      ) : null}
      <div className="import-want-line">
        <span>{t('importing.runs_as_is', { n: fine.length })}</span>
        <button type="button" className="link" aria-expanded={seen} onClick={() => setSeen(!seen)}>
          {seen ? t('importing.hide_it') : t('importing.read_it')}
        </button>
      </div>
      {code
        .filter((want) => want.missing.length > 0)
        .map((want) => (
          <div key={want.node} className="import-want-line">
            <span className="truncate">
              {t('importing.wants_module', { name: want.title, modules: listOf(want.missing) })}
            </span>
            <span className="text-muted">{t('importing.use_http')}</span>
          </div>
        ))}
      {seen
        ? code.map((want) => (
            <CodeBlock key={want.node} small code={want.source} maxHeight={200} label={want.title} />
          ))
        : null}
    </>
  )
}
