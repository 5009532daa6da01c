import { Button, Group, Modal, type ModalProps, Text } from '@mantine/core'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useBlocker } from 'react-router'
import { fieldValues, unsaved } from '../unsaved.ts'

/** Asks before navigation discards unsaved changes. One per app: the router supports a single blocker. */
export function LeaveGuard() {
  const blocker = useBlocker(
    ({ currentLocation: from, nextLocation: to }) =>
      (from.pathname !== to.pathname || from.search !== to.search) && unsaved.isIn(from.pathname === to.pathname),
  )
  return (
    <DiscardDialog
      opened={blocker.state === 'blocked'}
      keep={() => blocker.reset?.()}
      discard={() => blocker.proceed?.()}
    />
  )
}

export function DiscardDialog({ opened, keep, discard }: { opened: boolean; keep: () => void; discard: () => void }) {
  return (
    <Modal
      opened={opened}
      onClose={keep}
      title="Discard changes?"
      centered
      // Above the drawer with the form.
      zIndex={260}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Text size="sm">Your changes have not been saved.</Text>
      <Group justify="flex-end" mt="md" gap="xs">
        <Button variant="default" onClick={keep} data-autofocus>
          Keep editing
        </Button>
        <Button color="red" onClick={discard}>
          Discard changes
        </Button>
      </Group>
    </Modal>
  )
}

export interface FormLeave {
  /** For the element around the fields. */
  form: (element: HTMLElement | null) => void
  /** Closes, after a question if the form has changed. */
  leave: () => void
  /** The input is stored: closing and navigating ask no more. */
  saved: () => void
  /** To be rendered beside the form. */
  dialog: ReactNode
  isAsking: boolean
}

/**
 * For a form in a drawer or dialog. What has changed is read from its fields: their values when the user first touched the
 * form, and those of now. So data that is still loading when the form opens is no change.
 */
export function useFormLeave(close: () => void): FormLeave {
  const [isAsking, setAsking] = useState(false)
  const watch = useRef<FormWatch>(undefined)
  watch.current ??= createFormWatch()
  const { attach, isChanged, forget } = watch.current
  useEffect(() => unsaved.add({ isChanged, isDrawer: true }), [isChanged])
  const go = () => {
    forget()
    setAsking(false)
    close()
  }
  return {
    form: attach,
    leave: () => (isChanged() ? setAsking(true) : go()),
    saved: forget,
    // Mounted only while it asks: otherwise the Escape key that opens it could reach it as well, and close it.
    dialog: isAsking && <DiscardDialog opened keep={() => setAsking(false)} discard={go} />,
    isAsking,
  }
}

interface FormWatch {
  attach: (element: HTMLElement | null) => void
  isChanged: () => boolean
  forget: () => void
}

function createFormWatch(): FormWatch {
  let element: HTMLElement | null = null
  let before: string | undefined
  let isTouched = false
  const note = () => {
    if (!isTouched && element) before = fieldValues(element)
  }
  const touch = () => {
    note()
    isTouched = true
  }
  // Before the field itself handles the event.
  const events = [
    ['focusin', note],
    ['pointerdown', touch],
    ['keydown', touch],
    ['input', () => (isTouched = true)],
  ] as const
  return {
    attach(next) {
      for (const [name, run] of events) element?.removeEventListener(name, run, true)
      element = next
      before = undefined
      isTouched = false
      for (const [name, run] of events) element?.addEventListener(name, run, true)
    },
    isChanged: () => element !== null && isTouched && before !== undefined && fieldValues(element) !== before,
    forget() {
      before = undefined
      isTouched = false
    },
  }
}

/** A dialog with a form that asks before it throws input away. */
export function FormModal({
  close,
  children,
  ...modal
}: Pick<ModalProps, 'opened' | 'title' | 'size' | 'centered'> & {
  close: () => void
  children: (form: { leave: () => void; done: () => void }) => ReactNode
}) {
  const { form, leave, saved, dialog, isAsking } = useFormLeave(close)
  const done = () => {
    saved()
    close()
  }
  return (
    <Modal {...modal} onClose={leave} closeOnEscape={!isAsking} closeButtonProps={{ 'aria-label': 'Close' }}>
      <div ref={form}>{children({ leave, done })}</div>
      {dialog}
    </Modal>
  )
}
