/** The sides of a server: tabs, and on a phone, where six names have no room in a row, one choice. */
import type { ReactNode } from 'react'
import { Select, type TabItem, TabPanel, Tabs } from '@/ui'
import { usePhone } from '@/ui/media'

const ID = 'server'

interface SideItem<V extends string> extends TabItem<V> {
  readonly label: string
}

interface SidesProps<V extends string> {
  /** The server's name. */
  readonly label: string
  readonly value: V
  readonly onChange: (value: V) => void
  readonly items: readonly SideItem<V>[]
}

export function Sides<V extends string>({ label, value, onChange, items }: SidesProps<V>) {
  if (!usePhone()) return <Tabs<V> id={ID} label={label} value={value} onChange={onChange} items={items} />
  const options = items.map(({ value: side, label: name, count }) => ({
    value: side,
    label: count === undefined ? name : `${name} ${count}`,
  }))
  return (
    <div className="flex-none border-b border-line px-4 py-3">
      <Select<V> aria-label={label} value={value} onChange={onChange} options={options} />
    </div>
  )
}

interface SidePanelProps {
  readonly value: string
  readonly className: string
  readonly children: ReactNode
}

/** What scrolls under the sides, by tabs or by one choice: a long list asks it what is in view. */
export const SIDE_PANEL = '[role="tabpanel"], [data-side-panel]'

export function SidePanel({ value, className, children }: SidePanelProps) {
  if (usePhone())
    return (
      <div className={className} data-side-panel>
        {children}
      </div>
    )
  return (
    <TabPanel id={ID} value={value} className={className}>
      {children}
    </TabPanel>
  )
}
