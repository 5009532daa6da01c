import { Button } from '@mantine/core'
import {
  IconAlertCircle,
  IconArrowDownLeft,
  IconArrowUpRight,
  IconCheck,
  IconChecks,
  IconClock,
  IconFile,
  IconPhoneX,
} from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { span, timeOnly } from '../ui/format.ts'
import type { ConversationShown, ItemShown } from './data.ts'
import css from './inbox.module.css'
import { type Sending, statusLabel } from './model.ts'

type Message = NonNullable<ItemShown['message']>
type Call = NonNullable<ItemShown['call']>
type Medium = Message['media'][number]

const isFailed = (status: string) => status === 'failed' || status === 'undelivered'

export function MessageItem({
  message,
  at,
  people,
  resend,
}: {
  message: Message
  at: number
  people: ConversationShown['people']
  resend?: (() => void) | undefined
}) {
  const { direction, status, trouble, user, channel, author } = message
  const isOutbound = direction === 'outbound'
  const writer = author === null ? undefined : people.find(({ number }) => number === author)
  const failed = isFailed(status)
  return (
    <li className={`${css.item} ${isOutbound ? css.outbound : css.inbound} ${failed ? css.lost : ''}`}>
      {author !== null && <div className={css.meta}>{writer?.contact?.name ?? writer?.display ?? author}</div>}
      <Content message={message} />
      <div className={css.meta}>
        <time dateTime={new Date(at).toISOString()}>{timeOnly(at / 1_000)}</time>
        {channel === 'whatsapp' && <span>· WhatsApp</span>}
        {isOutbound && user && <span>· {user.name}</span>}
        {isOutbound && <Status status={status} />}
      </div>
      {failed && (
        <div className={`${css.meta} ${css.trouble}`}>
          <span>{trouble}</span>
          {resend && (
            <Button size="compact-xs" variant="light" color="red" onClick={resend}>
              Retry
            </Button>
          )}
        </div>
      )}
    </li>
  )
}

function Content({ message: { header, body, footer, buttons, media } }: { message: Message }) {
  const hasText = body !== '' || header !== null
  return (
    <>
      {media.map((medium, index) => (
        <MediumShown key={medium.url || index} medium={medium} />
      ))}
      {hasText && (
        <div className={css.bubble}>
          {header && <div className={css.head2}>{header}</div>}
          {body}
          {footer && <div className={css.foot}>{footer}</div>}
          {buttons.length > 0 && (
            <div className={css.buttons}>
              {buttons.map((text) => (
                <span key={text} className={css.button}>
                  {text}
                </span>
              ))}
            </div>
          )}
        </div>
      )}
    </>
  )
}

const statusIcons: Record<string, ReactNode> = {
  pending: <IconClock size={14} aria-hidden />,
  sent: <IconCheck size={14} aria-hidden />,
  delivered: <IconChecks size={14} aria-hidden />,
  read: <IconChecks size={14} aria-hidden color="var(--mantine-primary-color-filled)" />,
  failed: <IconAlertCircle size={14} aria-hidden />,
  undelivered: <IconAlertCircle size={14} aria-hidden />,
}

const Status = ({ status }: { status: string }) => (
  <>
    {statusIcons[status]}
    <span>{statusLabel(status)}</span>
  </>
)

function MediumShown({ medium: { name, type, url, trouble } }: { medium: Medium }) {
  if (trouble !== null) {
    return (
      <span className={css.chip}>
        <IconAlertCircle size={16} aria-hidden />
        <span>
          {name || 'File not received'}: {trouble}
        </span>
      </span>
    )
  }
  if (type.startsWith('image/')) {
    return (
      <a href={url} target="_blank" rel="noopener noreferrer">
        <img className={css.image} src={url} alt={name} loading="lazy" />
      </a>
    )
  }
  if (type.startsWith('audio/')) {
    // biome-ignore lint/a11y/useMediaCaption: there is no transcript of an attachment
    return <audio controls preload="none" src={url} aria-label={name} />
  }
  return (
    <a className={css.chip} href={url} target="_blank" rel="noopener noreferrer">
      <IconFile size={16} aria-hidden />
      <span>{name}</span>
    </a>
  )
}

/** A message that the server has not accepted yet. */
export function SendingItem({
  sending: { message, state, why },
  resend,
  drop,
}: {
  sending: Sending
  resend: () => void
  drop: () => void
}) {
  const isRefused = state === 'refused'
  return (
    <li className={`${css.item} ${css.outbound} ${isRefused ? css.lost : css.waiting}`}>
      {message.files.map(({ id, name }) => (
        <span key={id} className={css.chip}>
          <IconFile size={16} aria-hidden />
          <span>{name}</span>
        </span>
      ))}
      {(message.text !== '' || message.template) && <div className={css.bubble}>{message.text || 'Template'}</div>}
      <div className={css.meta}>
        {isRefused ? (
          <>
            {statusIcons.failed}
            <span>Not sent</span>
          </>
        ) : (
          <>
            {statusIcons.pending}
            <span>Sending…</span>
          </>
        )}
      </div>
      {isRefused && (
        <div className={`${css.meta} ${css.trouble}`} role="alert">
          <span>{why}</span>
          <Button size="compact-xs" variant="light" color="red" onClick={resend}>
            Retry
          </Button>
          <Button size="compact-xs" variant="subtle" color="gray" onClick={drop}>
            Discard
          </Button>
        </div>
      )}
    </li>
  )
}

function callLabel({ direction, status, answered, talk_seconds, voicemail }: Call): string {
  const way = direction === 'inbound' ? 'Inbound call' : 'Outbound call'
  if (status !== 'done') return `${way}, in progress`
  if (answered) return `${way} · ${span(talk_seconds)}`
  if (voicemail) return 'Voicemail'
  return direction === 'inbound' ? 'Missed call' : 'Outbound call, not answered'
}

export function CallItem({ call, at }: { call: Call; at: number }) {
  const [isPlayed, setPlayed] = useState(false)
  const isMissed = call.status === 'done' && !call.answered
  const Icon = isMissed ? IconPhoneX : call.direction === 'inbound' ? IconArrowDownLeft : IconArrowUpRight
  return (
    <li className={css.call}>
      <span className={css.meta}>
        <Icon size={16} aria-hidden color={isMissed ? 'var(--mantine-color-error)' : 'currentcolor'} />
        <span>{callLabel(call)}</span>
        {call.user && <span>· {call.user.name}</span>}
        <time dateTime={new Date(at).toISOString()}>· {timeOnly(at / 1_000)}</time>
      </span>
      {call.voicemail !== null &&
        (isPlayed ? (
          // biome-ignore lint/a11y/useMediaCaption: the transcript is on the page of the call
          <audio controls autoPlay src={call.voicemail} aria-label="Voicemail" />
        ) : (
          <Button size="compact-xs" variant="default" onClick={() => setPlayed(true)}>
            Play voicemail
          </Button>
        ))}
    </li>
  )
}
