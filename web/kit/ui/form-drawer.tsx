import { Button, Drawer, Fieldset, Group, Stack } from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'
import { EditDiscarded } from '../edits.ts'
import { unsaved } from '../unsaved.ts'
import { CheckedForm } from './checked-form.tsx'
import { useFormLeave } from './leave-form.tsx'
import { SaveError } from './save-error.tsx'

/** A form in a drawer at the right edge. An error is shown inside and keeps the input. */
export function FormDrawer({
  title,
  opened,
  close,
  action,
  submit,
  disabled = false,
  readOnly = false,
  size = 'md',
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
  /** For users without the permission to edit. */
  readOnly?: boolean
  size?: 'md' | 'lg' | 'xl'
  /** Left of the buttons. */
  extra?: ReactNode
  children: ReactNode
}) {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const { form, leave, saved, dialog, isAsking } = useFormLeave(() => {
    setError(undefined)
    close()
  })
  const send = async () => {
    setBusy(true)
    setError(undefined)
    try {
      // Creating may open the page of the new object.
      await unsaved.during(submit)
      saved()
      close()
    } catch (failure) {
      if (failure instanceof EditDiscarded) {
        saved()
        close()
      } else setError(failure)
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
      closeOnEscape={!isAsking}
      title={title}
      position="right"
      size={size}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <CheckedForm onSubmit={onSubmit} ref={form}>
        <Stack>
          {readOnly ? (
            <Fieldset disabled variant="unstyled">
              <Stack>{children}</Stack>
            </Fieldset>
          ) : (
            children
          )}
          {error !== undefined && <SaveError error={error} retry={() => void send()} />}
          <Group justify="space-between">
            <Group gap="xs">{extra}</Group>
            <Group gap="xs">
              <Button variant="default" onClick={leave}>
                {readOnly ? 'Close' : 'Cancel'}
              </Button>
              {!readOnly && (
                <Button type="submit" loading={isBusy} disabled={disabled}>
                  {action}
                </Button>
              )}
            </Group>
          </Group>
        </Stack>
      </CheckedForm>
      {dialog}
    </Drawer>
  )
}
