import { Anchor, Avatar, Button, Center, Paper, Stack, Text, Title } from '@mantine/core'
import { useEffect } from 'react'
import icon from '../kit/ui/icon.svg'

/** Where people go who are no admins but were asked to connect an app; anybody may open it. */
export default function Download() {
  useEffect(() => {
    document.title = 'Get the phone app · Hookswitch'
  }, [])
  return (
    <Center mih="100vh" p="md" component="main">
      <Paper withBorder shadow="sm" p={{ base: 'lg', xs: 'xl' }} w="100%" maw={460}>
        <Stack gap="md" align="center" ta="center">
          <Avatar src={icon} size={64} radius="md" alt="" />
          <Title order={1} size="h2">
            Get the phone app
          </Title>
          <Text>
            It runs in your browser: nothing to install. Open it, sign in, and calls ring there. Keep the tab open, or
            pin it.
          </Text>
          <Button component="a" href="/phone" size="md" fullWidth>
            Open the phone app
          </Button>
          <Text c="dimmed" size="sm">
            Did an app send you here? Only an owner or an admin of your company can connect apps. Ask one of them, or{' '}
            <Anchor href="/dashboard" size="sm" underline="always">
              sign in to the dashboard
            </Anchor>{' '}
            if you are one.
          </Text>
        </Stack>
      </Paper>
    </Center>
  )
}
