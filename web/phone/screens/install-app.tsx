import { Button, Group } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useSyncExternalStore } from 'react'
import { installOffer } from '../notifications/install.ts'

/** Where the browser offers it: the phone in a window of its own. */
export function InstallApp() {
  const offer = useSyncExternalStore(installOffer.watch, installOffer.get)
  if (!offer) return null
  return (
    <Group>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconDownload size={16} aria-hidden />}
        onClick={() => void installOffer.accept()}
      >
        Install as an app
      </Button>
    </Group>
  )
}
