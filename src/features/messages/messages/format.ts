import { randomBytes } from 'node:crypto'
import type { Clock } from '../../../lib/clock.ts'
import type { Message } from './store.ts'

/** UNIX milliseconds and an unguessable suffix. */
export function messageId(clock: Clock): string {
  const letters = 'abcdefghijklmnopqrstuvwxyz0123456789'
  const random = [...randomBytes(16)].map((byte) => letters[byte % letters.length]).join('')
  return `${clock.machineNow()}${random}`
}

/** One-line preview for the inbox. */
export function previewOf({ body, media, type }: Pick<Message, 'body' | 'media' | 'type'>): string {
  if (body !== '') return body
  if (media.length === 0) return type ?? ''
  return media.length === 1 ? '1 file' : `${media.length} files`
}

/** File name derived from the URL. */
export function fileNameIn(url: string): string {
  const last = URL.canParse(url) ? (new URL(url).pathname.split('/').at(-1) ?? '') : url
  const plain = last.replace(/[^A-Za-z0-9._-]/g, '_').slice(-80)
  return /[A-Za-z0-9]/.test(plain) ? plain : 'file'
}

/** Notification payload for the sender. A Number has two queues: texts do not wait for WhatsApp messages. */
export const queueName = ({ companyId, numberId, channel }: Pick<Message, 'companyId' | 'numberId' | 'channel'>) =>
  `${companyId}:${numberId}:${channel ?? 'texts'}`
