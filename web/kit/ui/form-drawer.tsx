import { Button, Drawer, Group, Stack } from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'
import { Trouble } from './trouble.tsx'

/** A form at the right edge: what is refused is told inside, and nothing typed is lost. */
export function FormDrawer({
  title,
  opened,
  close,
  action,
  submit,
  disabled = false,
  extra,
  children,
}: {
  title: string
  opened: boolean
  close: () => void
  /** The verb on the button. */
  action: string
  submit: () => Promise<unknown>
  disabled?: boolean
  /** Left of the buttons. */
  extra?: ReactNode
  children: ReactNode
}) {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const leave = () => {
    setError(undefined)
    close()
  }
  const send = async () => {
    setBusy(true)
    setError(undefined)
    try {
      await submit()
      close()
    } catch (failure) {
      setError(failure)
    }
    setBusy(false)
  }
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    if (!isBusy) void send()
  }
  return (
    <Drawer
      opened={opened}
      onClose={leave}
      title={title}
      position="right"
      size="md"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <form onSubmit={onSubmit}>
        <Stack>
          {children}
          {error !== undefined && (
            // In a long form it would be below the edge.
            <div ref={(place) => place?.scrollIntoView({ block: 'nearest' })}>
              <Trouble error={error} />
            </div>
          )}
          <Group justify="space-between">
            <Group gap="xs">{extra}</Group>
            <Group gap="xs">
              <Button variant="default" onClick={leave}>
                Cancel
              </Button>
              <Button type="submit" loading={isBusy} disabled={disabled}>
                {action}
              </Button>
            </Group>
          </Group>
        </Stack>
      </form>
    </Drawer>
  )
}
