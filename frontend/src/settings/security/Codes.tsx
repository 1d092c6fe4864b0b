/** Recovery codes, shown once. */
import { useT } from '@/i18n'
import { Button, Callout, CopyButton, Dialog } from '@/ui'

export function Codes({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  const t = useT()
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={t('people.codes_title')}
      size="small"
      footer={
        <Button variant="primary" size="large" onClick={onClose}>
          {t('common.done')}
        </Button>
      }
    >
      <div className="grid gap-3">
        <Callout tone="waiting">{t('people.codes_text')}</Callout>
        <div className="well flex items-start gap-2">
          <ul className="grid flex-1 grid-cols-2 gap-x-4 gap-y-1 font-mono">
            {codes.map((code) => (
              <li key={code}>{code}</li>
            ))}
          </ul>
          <CopyButton text={codes.join('\n')} label={t('people.codes_copy')} />
        </div>
      </div>
    </Dialog>
  )
}
