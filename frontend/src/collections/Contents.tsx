/** What a collection offers besides tools: resources, templates and prompts, as clients see each. */
import { ChevronRight, Plus } from 'lucide-react'
import { useState } from 'react'
import {
  type CollectionContent,
  type CollectionDetail,
  useEditContent,
  useRemoveContent,
} from '@/api/collections'
import { useMay } from '@/api/queries'
import { useT } from '@/i18n'
import { Button, Chip, cx, EmptyState, visible } from '@/ui'
import { AddContents } from './AddContents'
import { KINDS } from './kinds'
import { Words } from './Words'

export function Contents({ collection }: { readonly collection: CollectionDetail }) {
  const t = useT()
  const may = useMay('editor')
  const [open, setOpen] = useState<string | null>(null)
  const [adding, setAdding] = useState(false)
  const { contents } = collection
  return (
    <section className="grid grid-cols-1 gap-2" aria-label={t('collections.contents')}>
      <div className="coll-head">
        <h3 className="section-title flex-1">
          {t('collections.contents')} <span className="count">{contents.length}</span>
        </h3>
        {may ? (
          <Button icon={<Plus aria-hidden />} onClick={() => setAdding(true)}>
            {t('collections.add_contents')}
          </Button>
        ) : null}
      </div>
      {contents.length === 0 ? (
        <EmptyState flush title={t('collections.no_contents')} text={t('collections.no_contents_text')} />
      ) : (
        <ul className="coll-tools">
          {contents.map((content) => (
            <Row
              key={content.id}
              collection={collection.id}
              content={content}
              open={open === content.id}
              onToggle={() => setOpen(open === content.id ? null : content.id)}
            />
          ))}
        </ul>
      )}
      {adding ? <AddContents collection={collection} onClose={() => setAdding(false)} /> : null}
    </section>
  )
}

interface RowProps {
  readonly collection: string
  readonly content: CollectionContent
  readonly open: boolean
  readonly onToggle: () => void
}

function Row({ collection, content, open, onToggle }: RowProps) {
  const t = useT()
  return (
    <li data-open={open}>
      <button type="button" className="coll-row coll-content" aria-expanded={open} onClick={onToggle}>
        <ChevronRight size={14} aria-hidden className={cx('transition-transform', open && 'rotate-90')} />
        <span className="coll-name">
          <code>{visible(content.name)}</code>
          {content.edited ? <Chip>{t('collections.edited')}</Chip> : null}
          {content.off ? <Chip tone="waiting">{t('collections.server_off')}</Chip> : null}
        </span>
        <span className="coll-from">
          {content.server} · {visible(content.reference)}
        </span>
        <span className="text-xs text-muted">{t(KINDS[content.kind])}</span>
      </button>
      {open ? (
        <div className="coll-open">
          <ContentWords
            key={`${content.name} ${content.description}`}
            collection={collection}
            content={content}
          />
          <p className="text-xs text-muted">{t('collections.reading_runs')}</p>
        </div>
      ) : null}
    </li>
  )
}

function ContentWords({ collection, content }: Pick<RowProps, 'collection' | 'content'>) {
  const t = useT()
  const prompt = content.kind === 'prompt'
  return (
    <Words
      seen={content}
      original={content.original}
      serverName={content.server_name}
      pinnedAt={null}
      nameHint={prompt ? t('collections.prompt_name_hint') : undefined}
      longestName={prompt ? 64 : 200}
      edit={useEditContent(collection, content.id)}
      remove={useRemoveContent(collection, content.id)}
    />
  )
}
