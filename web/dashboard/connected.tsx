import { Avatar, Button, Center, Paper, Stack, Text, Title } from '@mantine/core'
import { useEffect } from 'react'
import icon from '../kit/ui/icon.svg'

/** Landing page of an OAuth installation. A popup closes itself after two seconds. */
export default function Connected() {
  useEffect(() => {
    document.title = 'App connected · Hookswitch'
    const timer = setTimeout(() => window.close(), 2_000)
    return () => clearTimeout(timer)
  }, [])
  return (
    <Center mih="100vh" p="md" component="main">
      <Paper withBorder shadow="sm" p={{ base: 'lg', xs: 'xl' }} w="100%" maw={460}>
        <Stack gap="md" align="center" ta="center">
          <Avatar src={icon} size={64} radius="md" alt="" />
          <Title order={1} size="h2">
            App connected
          </Title>
          <Text>You can close this window. The app is listed under Integrations.</Text>
          <Button component="a" href="/dashboard/integrations" variant="default" fullWidth>
            Open Integrations
          </Button>
        </Stack>
      </Paper>
    </Center>
  )
}
