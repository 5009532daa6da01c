import { Text } from '@mantine/core'
import { Copied } from '../dev/copy.tsx'

/** An address that the other side is to be given; it exists once the carrier does. */
export function CopyAddress({ label, url }: { label: string; url: string | null | undefined }) {
  if (url) return <Copied label={label} value={url} />
  return (
    <Text size="sm" c="dimmed">
      {label}: shown here once the carrier is saved.
    </Text>
  )
}
