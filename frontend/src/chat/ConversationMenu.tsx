/** What can be done with a conversation: another name, taking it along, deleting it with its runs. */
import { Download, Ellipsis, Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { exportAddress, useChangeConversation, useDeleteConversation } from '@/api/chat'
import { asApiError, failureOf } from '@/api/client'
import { download } from '@/api/download'
import { useMay } from '@/api/queries'
import { useT } from '@/i18n'
import { Button, Confirm, Dialog, ErrorBox, IconButton, Menu, TextField, toast } from '@/ui'

interface Props {
  readonly id: string
  readonly title: string
  /** It was deleted. */
  readonly onGone: () => void
}

export function ConversationMenu(props: Props) {
  const t = useT()
  const may = useMay('editor')
  const [asking, setAsking] = useState<'rename' | 'delete' | null>(null)
  const close = () => setAsking(null)
  return (
    <>
      <Menu
        align="end"
        label={t('chat.more')}
        trigger={
          <IconButton label={t('chat.more')}>
            <Ellipsis />
          </IconButton>
        }
        items={[
          {
            label: t('common.rename'),
            icon: <Pencil />,
            disabled: !may,
            onSelect: () => setAsking('rename'),
          },
          {
            label: t('chat.export'),
            icon: <Download />,
            onSelect: () =>
              void download(exportAddress(props.id)).catch((thrown) => toast.error(failureOf(thrown))),
          },
          { kind: 'separator' },
          {
            label: t('common.delete'),
            icon: <Trash2 />,
            danger: true,
            disabled: !may,
            onSelect: () => setAsking('delete'),
          },
        ]}
      />
      {asking === 'rename' ? <Rename {...props} onClose={close} /> : null}
      {asking === 'delete' ? <Delete {...props} onClose={close} /> : null}
    </>
  )
}

function Rename({ id, title: current, onClose }: Props & { readonly onClose: () => void }) {
  const t = useT()
  const change = useChangeConversation(id)
  const [title, setTitle] = useState(current)
  return (
    <Dialog open onOpenChange={(open) => open || onClose()} title={t('common.rename')}>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          change.mutate({ title: title.trim() }, { onSuccess: onClose })
        }}
      >
        <TextField label={t('common.name')} required autoFocus value={title} onChange={setTitle} />
        {change.error ? <ErrorBox error={asApiError(change.error)} /> : null}
        <Button type="submit" variant="primary" size="large" busy={change.isPending} disabled={!title.trim()}>
          {t('common.save')}
        </Button>
      </form>
    </Dialog>
  )
}

function Delete({ id, title, onGone, onClose }: Props & { readonly onClose: () => void }) {
  const t = useT()
  const remove = useDeleteConversation()
  return (
    <Confirm
      open
      danger
      onOpenChange={(open) => open || onClose()}
      title={t('chat.delete_title', { title })}
      action={t('common.delete')}
      busy={remove.isPending}
      onConfirm={() => remove.mutate(id, { onSuccess: onGone })}
    >
      <div className="grid gap-3">
        <p>{t('chat.delete_text')}</p>
        {remove.error ? <ErrorBox error={asApiError(remove.error)} /> : null}
      </div>
    </Confirm>
  )
}
