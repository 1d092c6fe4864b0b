/** The address of a webhook or a page: shown once, right after it was made, with an example of its use. */
import { Copy } from 'lucide-react'
import type { NewTrigger } from '@/api/triggers'
import { useT } from '@/i18n'
import { Button, Callout, CodeBlock, Dialog, toast } from '@/ui'
import { configuration } from './parts'

/** A call of it in a terminal, with the first of its methods and its proof by a header. */
function curlOf(trigger: NewTrigger): string {
  const config = configuration(trigger)
  const methods = (config.methods as string[] | undefined) ?? ['POST']
  const method = methods.includes('POST') ? 'POST' : (methods[0] ?? 'POST')
  const verify = config.verify as { kind?: string; header?: string; secret?: string } | undefined
  const proof = verify?.kind === 'header' ? [`  -H '${verify.header}: <${verify.secret}>'`] : []
  const body = method === 'GET' ? [] : [`  -H 'Content-Type: application/json'`, `  -d '{"hello": "world"}'`]
  return [`curl -X ${method} '${trigger.url}'`, ...proof, ...body].join(' \\\n')
}

/** How another site shows the page; that its origin is listed is a condition. */
const frameOf = (trigger: NewTrigger): string =>
  `<iframe src="${trigger.url}" title="${trigger.name.replaceAll('"', '&quot;')}" width="100%" height="640"></iframe>`

export function Address({
  trigger,
  onClose,
}: {
  readonly trigger: NewTrigger
  readonly onClose: () => void
}) {
  const t = useT()
  const url = trigger.url ?? ''
  const page = trigger.kind === 'page'
  const label = t(page ? 'triggers.page_frame' : 'triggers.example')
  const copy = () =>
    navigator.clipboard.writeText(url).then(
      () => toast.ok(t('common.copied')),
      () => toast.error(t('common.copy_failed')),
    )
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={t('triggers.address_title', { name: trigger.name })}
      footer={
        <Button variant="primary" size="large" onClick={onClose}>
          {t('common.done')}
        </Button>
      }
    >
      <div className="grid grid-cols-1 gap-4">
        <Callout tone="waiting">{t('triggers.address_once')}</Callout>
        <div className="well flex flex-wrap items-center gap-2">
          <code className="min-w-0 flex-1 basis-60 break-all">{url}</code>
          <Button icon={<Copy aria-hidden />} onClick={() => void copy()}>
            {t('triggers.copy_address')}
          </Button>
        </div>
        <div className="grid grid-cols-1 gap-1.5">
          <h3 className="text-sm font-semibold">{label}</h3>
          <CodeBlock code={page ? frameOf(trigger) : curlOf(trigger)} label={label} />
        </div>
        {trigger.enabled ? null : <p className="text-sm text-muted">{t('triggers.address_off')}</p>}
      </div>
    </Dialog>
  )
}
