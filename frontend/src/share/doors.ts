/** The doors through which others reach a workflow: which there are, what each is called, whose code each loads. */
import {
  AppWindow,
  Bot,
  CalendarClock,
  Code,
  MessageSquareText,
  PanelTop,
  Plug,
  Webhook,
  Zap,
} from 'lucide-react'
import type { ComponentType } from 'react'
import type { OfferField } from '@/api/offer'
import type { TriggerKind } from '@/api/triggers'
import type { Workflow } from '@/api/workflows'
import type { Key } from '@/i18n'
import { fetchCode } from '@/loading/fetch-code'

export interface DoorProps {
  readonly workflow: Workflow
}

interface AnyDoor {
  readonly id: string
  readonly icon: typeof Plug
  readonly title: Key
  readonly text: Key
}

/** Offered by a switch of the workflow; always open where it has none. */
export interface OfferedDoor extends AnyDoor {
  readonly field?: OfferField
  readonly load: () => Promise<{ default: ComponentType<DoorProps> }>
}

/** Open where the workflow has a trigger of this kind that is on. */
export interface TriggerDoor extends AnyDoor {
  readonly id: TriggerKind
  readonly trigger: true
}

export type Door = OfferedDoor | TriggerDoor

const trigger = (id: TriggerKind, icon: typeof Plug, text: Key): TriggerDoor => ({
  id,
  icon,
  title: `triggers.${id}`,
  text,
  trigger: true,
})

export const GROUPS: readonly { readonly title: Key; readonly doors: readonly Door[] }[] = [
  {
    title: 'share.programs',
    doors: [
      {
        id: 'mcp',
        icon: Plug,
        title: 'share.mcp_tool',
        text: 'share.mcp_text',
        field: 'expose_as_tool',
        load: async () => ({ default: (await fetchCode(() => import('./McpDoor'))).McpDoor }),
      },
      {
        id: 'rest',
        icon: Code,
        title: 'share.rest',
        text: 'share.rest_text',
        load: async () => ({ default: (await fetchCode(() => import('./RestDoor'))).RestDoor }),
      },
      {
        id: 'a2a',
        icon: Bot,
        title: 'agent.title',
        text: 'agent.door_text',
        field: 'expose_as_agent',
        load: async () => ({ default: (await fetchCode(() => import('./AgentDoor'))).AgentDoor }),
      },
      {
        id: 'agui',
        icon: AppWindow,
        title: 'agui.title',
        text: 'agui.door_text',
        field: 'expose_as_agui',
        load: async () => ({ default: (await fetchCode(() => import('./AguiDoor'))).AguiDoor }),
      },
      trigger('webhook', Webhook, 'share.webhook_text'),
    ],
  },
  {
    title: 'share.people',
    doors: [
      trigger('page', PanelTop, 'share.page_text'),
      trigger('chat', MessageSquareText, 'share.chat_text'),
    ],
  },
  {
    title: 'share.alone',
    doors: [
      trigger('schedule', CalendarClock, 'share.schedule_text'),
      trigger('event', Zap, 'share.event_text'),
    ],
  },
]

export const DOORS: readonly Door[] = GROUPS.flatMap(({ doors }) => doors)
