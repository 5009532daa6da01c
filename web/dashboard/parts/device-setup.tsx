import { Alert, Button, Center, Group, Modal, Stack, Table, Text } from '@mantine/core'
import { renderSVG } from 'uqr'
import type { ResponseOf } from '../../kit/api.ts'
import { Copied, CopyIcon } from '../dev/copy.tsx'

/** A device with its password, which is shown once. */
export type NewDevice = ResponseOf<'/v1/users/{id}/devices', 'post'>

/** What is typed into a device; the dialog closes only with its button. */
export function DeviceSetup({ made, close }: { made: NewDevice | undefined; close: () => void }) {
  return (
    <Modal
      opened={made !== undefined}
      onClose={close}
      title={`Set up ${made?.device.name ?? ''}`}
      size="lg"
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      {made && (
        <Stack>
          <Alert color="yellow" variant="light">
            The password is shown only once. Enter it in the device now, or use a setup link.
          </Alert>
          <Settings made={made} />
          <Text size="sm">
            Desk phones with automatic provisioning load these settings from a link. It is valid for 24 hours and 10
            downloads, and contains the password: share it only with this user.
          </Text>
          <Copied label="Setup link (XML)" value={made.setup_urls.xml} />
          <Copied label="Setup link (CFG)" value={made.setup_urls.cfg} />
          <Center>
            <QrCode text={made.setup_urls.xml} />
          </Center>
          <Group justify="flex-end">
            <Button onClick={close}>Done</Button>
          </Group>
        </Stack>
      )}
    </Modal>
  )
}

function Settings({ made: { device, password, server } }: { made: NewDevice }) {
  const rows: [label: string, value: string][] = [
    ['Server', server.host],
    ['Port (UDP, TCP)', String(server.port)],
    ...(server.tls_port === null ? [] : ([['Port (TLS)', String(server.tls_port)]] as [string, string][])),
    ['Username', device.username],
    ['Password', password],
  ]
  return (
    <Table>
      <Table.Tbody>
        {rows.map(([label, value]) => (
          <Table.Tr key={label}>
            <Table.Th w="35%">{label}</Table.Th>
            <Table.Td ff="monospace" style={{ overflowWrap: 'anywhere' }}>
              {value}
            </Table.Td>
            <Table.Td w={48}>
              <CopyIcon label={label} value={value} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}

/** Black on white in both color schemes: scanners need the contrast. */
function QrCode({ text }: { text: string }) {
  const source = `data:image/svg+xml,${encodeURIComponent(renderSVG(text, { border: 2 }))}`
  return <img src={source} alt="QR code of the setup link (XML)" width={200} height={200} />
}
