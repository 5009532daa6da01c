import { Anchor, Avatar, Button, Center, Paper, Stack, Text, Title } from '@mantine/core'
import { useEffect } from 'react'
import icon from '../kit/ui/icon.svg'

/** Public page; users without the right to connect apps are redirected here from the consent screen. */
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
            The phone app runs in your browser, with nothing to install. Open it, sign in, and keep the tab open or
            pinned to receive calls.
          </Text>
          <Button component="a" href="/phone" size="md" fullWidth>
            Open the phone app
          </Button>
          <Text c="dimmed" size="sm">
            Redirected here by an app? Only an owner or admin of your company can connect apps. Contact one of them, or{' '}
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
