import type { PushMessage } from '../../../src/domain/push-message.ts'

// System notifications, shown by the page while it is in the background and by the service worker while it is closed. The
// same tag replaces the notification instead of adding one.

export interface Notice {
  title: string
  options: NotificationOptions & { tag: string }
}

/** Types of the DOM library lack the options that only service workers may use. */
interface WorkerNotificationOptions extends NotificationOptions {
  tag: string
  actions?: { action: string; title: string }[]
  renotify?: boolean
}

export const ringTag = (key: string) => `ring-${key}`

/** Where a click on the notification leads. */
export interface NoticeTarget {
  /** A ringing call. */
  key?: string
  call_id?: number
  /** A colleague who has written. */
  user_id?: number
}

export function noticeOf(message: PushMessage): Notice {
  const { title, detail } = message
  const common = { icon: '/phone/icon-192.png', badge: '/phone/badge-96.png' }
  switch (message.kind) {
    case 'ring': {
      const options: WorkerNotificationOptions = {
        ...common,
        tag: ringTag(message.key),
        body: detail ? `Incoming call on ${detail}` : 'Incoming call',
        requireInteraction: true,
        actions: [
          { action: 'accept', title: 'Accept' },
          { action: 'decline', title: 'Decline' },
        ],
        data: { key: message.key } satisfies NoticeTarget,
      }
      return { title, options }
    }
    case 'ring_stop':
      return { title, options: { ...common, tag: ringTag(message.key), body: detail, silent: true } }
    case 'missed_call':
    case 'voicemail': {
      const what = message.kind === 'voicemail' ? 'Voicemail' : 'Missed call'
      const options: WorkerNotificationOptions = {
        ...common,
        tag: `call-${message.call_id}`,
        body: detail ? `${what} on ${detail}` : what,
        data: { call_id: message.call_id } satisfies NoticeTarget,
      }
      return { title, options }
    }
    case 'direct_message': {
      const options: WorkerNotificationOptions = {
        ...common,
        tag: `direct-${message.user_id}`,
        body: detail,
        renotify: true,
        data: { user_id: message.user_id } satisfies NoticeTarget,
      }
      return { title, options }
    }
  }
}
