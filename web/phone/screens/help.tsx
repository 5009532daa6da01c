import { Kbd, Modal, Table } from '@mantine/core'
import { shortcutList } from '../shortcut-list.ts'

export default function Help({ close }: { close: () => void }) {
  return (
    <Modal opened onClose={close} title="Keyboard shortcuts" closeButtonProps={{ 'aria-label': 'Close' }}>
      <Table>
        <Table.Tbody>
          {shortcutList.map(([key, action]) => (
            <Table.Tr key={key}>
              <Table.Td style={{ whiteSpace: 'nowrap' }}>
                <Kbd>{key}</Kbd>
              </Table.Td>
              <Table.Td>{action}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Modal>
  )
}
