/** The box that a program is started in: what it gives, shown and changed. */
import type { ReactNode } from 'react'
import type { Server } from '@/api/servers'
import { fieldError } from '@/forms'
import { listOf, useT } from '@/i18n'
import type { Draft } from '@/registry/draft'
import type { FieldsProps } from '@/registry/fields'
import { Callout, Checkbox, Field, Segmented, TextArea } from '@/ui'

type Boxed = NonNullable<Server['boxed_as']>

/** Said where a program is started in no box. */
export function Unboxed({ box }: { readonly box: Boxed }) {
  const t = useT()
  if (box.reason === '') return null
  return (
    <Callout tone={box.reason === 'decided' ? 'idle' : 'waiting'}>{t(`registry.box_${box.reason}`)}</Callout>
  )
}

const gigabytes = (megabytes: number): string =>
  megabytes % 1024 === 0 ? `${megabytes / 1024}\u00a0GB` : `${megabytes}\u00a0MB`

/** Rows of the overview: kind, folders, network, limits. */
export function boxRows(
  box: Boxed,
  t: ReturnType<typeof useT>,
): readonly { readonly name: string; readonly says: ReactNode }[] {
  const limits = [
    box.memory_mb ? t('registry.box_memory', { size: gigabytes(box.memory_mb) }) : '',
    box.processes ? t('registry.box_processes', { count: box.processes }) : '',
    box.files ? t('registry.box_files', { count: box.files }) : '',
    box.file_mb ? t('registry.box_file_size', { size: gigabytes(box.file_mb) }) : '',
    box.home_mb ? t('registry.box_home', { size: gigabytes(box.home_mb) }) : '',
    box.cpu_s ? t('registry.box_cpu', { seconds: box.cpu_s }) : '',
  ].filter(Boolean)
  const boxed = box.kind === 'bwrap' || box.kind === 'launcher'
  return [
    { name: t('registry.box'), says: t(`registry.box_kind_${box.kind}`) },
    ...(boxed
      ? [
          {
            name: t('registry.folders'),
            says: box.folders.length ? <Folders folders={box.folders} /> : t('registry.folders_none'),
          },
          {
            name: t('registry.network'),
            says: box.network ? t('registry.network_on') : t('registry.network_off'),
          },
        ]
      : []),
    {
      name: t('registry.limits'),
      says: box.as_a_whole ? limits.join(' · ') : t('registry.limits_each', { limits: limits.join(' · ') }),
    },
  ]
}

function Folders({ folders }: { readonly folders: Boxed['folders'] }) {
  const t = useT()
  return (
    <ul>
      {folders.map((folder) => (
        <li key={folder.path}>
          <code className="font-mono text-xs break-all">{folder.path}</code>{' '}
          <span className="text-muted">
            {folder.write ? t('registry.folder_write') : t('registry.folder_read')}
          </span>
        </li>
      ))}
    </ul>
  )
}

/** Fields of a program's settings. */
export function BoxFields({ draft, onChange, fields, box }: FieldsProps & { readonly box: Boxed | null }) {
  const t = useT()
  return (
    <>
      <Field label={t('registry.box')} error={fieldError(fields, 'box')}>
        {() => (
          <div className="flex flex-wrap items-center gap-2">
            <Segmented<Draft['box']>
              label={t('registry.box')}
              value={draft.box}
              onChange={(next) => onChange({ box: next })}
              options={[
                { value: 'boxed', label: t('registry.box_boxed') },
                { value: 'open', label: t('registry.box_open') },
              ]}
            />
            <span className="text-xs text-muted">
              {draft.box === 'boxed' ? t('registry.box_boxed_means') : t('registry.box_open_means')}
            </span>
          </div>
        )}
      </Field>
      {box ? <Unboxed box={box} /> : null}
      {draft.box === 'boxed' ? (
        <>
          <TextArea
            label={t('registry.folders')}
            type={t('registry.one_per_line')}
            mono
            rows={2}
            placeholder={'ro /srv/documents\nrw /srv/notes'}
            value={draft.folders}
            onChange={(folders) => onChange({ folders })}
            error={fieldError(fields, 'folders')}
            hint={
              box?.broad.length
                ? t('registry.folders_broad', { paths: listOf(box.broad) })
                : t('registry.folders_hint')
            }
          />
          <Checkbox
            checked={draft.network}
            onChange={(network) => onChange({ network })}
            label={t('registry.network')}
            hint={t('registry.network_hint')}
          />
        </>
      ) : null}
    </>
  )
}
