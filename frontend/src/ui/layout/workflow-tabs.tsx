/** The pages of one workflow side by side in the bar: its canvas, and to whom it is offered. */
import { Link } from 'wouter'
import { useT } from '@/i18n'

export interface WorkflowTabsProps {
  readonly workflow: string
  readonly current: 'canvas' | 'share'
}

/** Where the bar has no room for them, the menu of versions and the crumbs lead there. */
export function WorkflowTabs({ workflow, current }: WorkflowTabsProps) {
  const t = useT()
  const at = `/workflows/${workflow}`
  const tab = (name: WorkflowTabsProps['current'], href: string, text: string) => (
    <Link href={href} aria-current={name === current ? 'page' : undefined}>
      {text}
    </Link>
  )
  return (
    <nav aria-label={t('editor.pages')} className="segmented max-[1279px]:hidden">
      {tab('canvas', at, t('editor.tab_canvas'))}
      {tab('share', `${at}/share`, t('editor.tab_share'))}
    </nav>
  )
}
