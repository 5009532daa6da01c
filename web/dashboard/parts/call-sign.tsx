import { ThemeIcon, Tooltip } from '@mantine/core'
import {
  IconMicrophone,
  IconPhoneCall,
  IconPhoneIncoming,
  IconPhoneOff,
  IconPhoneOutgoing,
  IconPhoneX,
} from '@tabler/icons-react'
import { type Call, type Outcome, outcomeOf, outcomeWords } from './call.ts'

const colors: Record<Outcome, string> = {
  going_on: 'blue',
  answered: 'green',
  missed: 'red',
  voicemail: 'violet',
  no_answer: 'gray',
}

export const colorOf = (call: Call) => colors[outcomeOf(call)]

/** Icon for direction and outcome. */
export function CallSign({ call, size = 34 }: { call: Call; size?: number }) {
  const words = `${call.direction === 'inbound' ? 'Inbound' : 'Outbound'} · ${outcomeWords(call)}`
  const Icon = iconOf(call)
  return (
    <Tooltip label={words} openDelay={300}>
      <ThemeIcon
        variant="light"
        color={colorOf(call)}
        size={size}
        radius="xl"
        role="img"
        aria-label={words}
        flex="none"
      >
        <Icon size={size * 0.53} stroke={1.8} />
      </ThemeIcon>
    </Tooltip>
  )
}

function iconOf(call: Call) {
  switch (outcomeOf(call)) {
    case 'going_on':
      return IconPhoneCall
    case 'missed':
      return IconPhoneX
    case 'voicemail':
      return IconMicrophone
    case 'no_answer':
      return IconPhoneOff
    case 'answered':
      return call.direction === 'inbound' ? IconPhoneIncoming : IconPhoneOutgoing
  }
}
