import { ActionIcon, CopyButton, Tooltip } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { displayNumber, readNumber } from '../phone-number.ts'

/** A number in readable form; its title is the E.164 number. */
export function PhoneText({ value }: { value: string }) {
  return (
    <span title={readNumber(value) ?? value} style={{ whiteSpace: 'nowrap' }}>
      {displayNumber(value)}
    </span>
  )
}

/** Copies the E.164 number. */
export function CopyNumber({ value }: { value: string }) {
  return (
    <CopyButton value={readNumber(value) ?? value}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? 'Copied' : 'Copy'} withArrow>
          <ActionIcon
            size="sm"
            variant="subtle"
            color="gray"
            onClick={copy}
            aria-label={`Copy ${displayNumber(value)}`}
          >
            {copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  )
}
