import { Button, Center, Group, Loader, Modal } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { IconShieldLock } from '@tabler/icons-react'
import { Suspense, useState } from 'react'
import { lazyPart } from '../../kit/load.ts'

const AccountSecurity = lazyPart(() => import('../../kit/account/security.tsx'))

/** Opens the security settings of the user. */
export function AccountButton() {
  const [isOpen, setOpen] = useState(false)
  const isNarrow = useMediaQuery('(max-width: 600px)')
  return (
    <Group>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconShieldLock size={16} aria-hidden />}
        onClick={() => setOpen(true)}
      >
        Account security
      </Button>
      <Modal
        opened={isOpen}
        onClose={() => setOpen(false)}
        title="Account security"
        size="lg"
        fullScreen={isNarrow}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <Suspense
          fallback={
            <Center mih={160}>
              <Loader role="status" aria-label="Loading" />
            </Center>
          }
        >
          <AccountSecurity />
        </Suspense>
      </Modal>
    </Group>
  )
}
