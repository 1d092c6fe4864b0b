/** Which MCP tool takes the place of something that has no counterpart: once for all alike, or for one. */
import { Search } from 'lucide-react'
import { type KeyboardEvent, useId, useState } from 'react'
import { listOf, useT } from '@/i18n'
import { Button, Checkbox, RiskBadge, type RiskLevel } from '@/ui'
import type { Candidate, Choosing, Line, ToolWant } from './report'

const MOST = 30

interface Props {
  readonly want: ToolWant
  readonly lines: readonly Line[]
  readonly choosing: Choosing
  readonly onDone: () => void
}

const nameOf = ({ server, tool }: { server: string; tool: string }) => `${server}/${tool}`

export function ChooseTool({ want, lines, choosing, onDone }: Props) {
  const t = useT()
  const list = useId()
  const [query, setQuery] = useState('')
  const [marked, setMarked] = useState(0)
  const [all, setAll] = useState(true)
  const words = query.trim().toLowerCase()
  const fitting = want.candidates
    .filter((tool) => `${nameOf(tool)} ${tool.title}`.toLowerCase().includes(words))
    .slice(0, MOST)
  const chosen = fitting[Math.min(marked, fitting.length - 1)]
  const first = lines[0]
  const several = lines.length > 1
  const count = all ? lines.length : 1
  const choose = (tool: Candidate | null) => {
    const answer = tool && { server: tool.server, tool: tool.tool }
    const chosen = all ? lines : lines.slice(0, 1)
    if (chosen.length === want.nodes.length) choosing.tool(want.key, answer)
    else for (const line of chosen) choosing.tool(line.origin, answer)
    onDone()
  }
  const pressed = (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (by) setMarked(Math.min(Math.max(marked + by, 0), fitting.length - 1))
    else if (event.key === 'Enter' && chosen) choose(chosen)
    else if (event.key === 'Escape') onDone()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div className="import-choose">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <div className="input w-75 phone:w-full">
          <Search aria-hidden />
          <input
            // biome-ignore lint/a11y/noAutofocus: it was opened to be searched in
            autoFocus
            type="search"
            role="combobox"
            aria-expanded
            aria-controls={list}
            aria-activedescendant={chosen ? `${list}-${fitting.indexOf(chosen)}` : undefined}
            aria-label={t('importing.tool_search')}
            placeholder={t('importing.tool_search')}
            value={query}
            onChange={(event) => {
              setQuery(event.target.value)
              setMarked(0)
            }}
            onKeyDown={pressed}
          />
        </div>
        {want.arguments.length > 0 ? (
          <span className="text-xs text-muted">
            {t('importing.tool_hint', { names: listOf(want.arguments) })}
          </span>
        ) : null}
      </div>
      {fitting.length === 0 ? (
        <p className="text-sm text-muted">{t('importing.tool_none')}</p>
      ) : (
        <Candidates id={list} want={want} tools={fitting} chosen={chosen} onMark={setMarked} onUse={choose} />
      )}
      <div className="flex flex-wrap items-center gap-2">
        {several ? (
          <Checkbox
            checked={all}
            onChange={setAll}
            label={
              all
                ? t('importing.alike', { n: lines.length })
                : t('importing.only_first', { name: first?.title ?? '' })
            }
            hint={listOf(lines.map((line) => line.title))}
          />
        ) : null}
        <span className="flex-1" />
        <Button size="small" variant="quiet" onClick={() => choose(null)}>
          {t('importing.leave', { n: count })}
        </Button>
        <Button size="small" disabled={!chosen} onClick={() => chosen && choose(chosen)}>
          {t('importing.use_for', { n: count })}
        </Button>
      </div>
    </div>
  )
}

interface CandidatesProps {
  readonly id: string
  readonly want: ToolWant
  readonly tools: readonly Candidate[]
  readonly chosen: Candidate | undefined
  readonly onMark: (index: number) => void
  readonly onUse: (tool: Candidate) => void
}

function Candidates({ id, want, tools, chosen, onMark, onUse }: CandidatesProps) {
  const t = useT()
  return (
    <div id={id} role="listbox" aria-label={t('importing.choose_tool')} className="import-tools">
      {tools.map((tool, index) => {
        const pairs = Object.entries(tool.arguments)
        const other = pairs.filter(([from, to]) => from !== to).map(([from, to]) => `${from} → ${to}`)
        const empty = tool.empty.length > 0 ? [t('importing.stays_empty', { names: listOf(tool.empty) })] : []
        const fits = t('importing.fits', { some: pairs.length, n: want.arguments.length })
        return (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field above
          <div
            key={nameOf(tool)}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={tool === chosen}
            className="import-tool"
            onClick={() => onMark(index)}
            onDoubleClick={() => onUse(tool)}
          >
            <span className="truncate font-mono text-xs">{nameOf(tool)}</span>
            <RiskBadge level={tool.risk as RiskLevel} reasons={[]} />
            <span className="ml-auto truncate text-xs text-muted">
              {[...other, ...empty, fits].join(' · ')}
            </span>
          </div>
        )
      })}
    </div>
  )
}
