import {
  ActionIcon,
  AppShell,
  Avatar,
  Badge,
  Box,
  Burger,
  Center,
  Group,
  Loader,
  Menu,
  ScrollArea,
  Text,
  Tooltip,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import {
  IconBook,
  IconDeviceMobile,
  IconLogout,
  IconMoon,
  IconShieldLock,
  IconSun,
  IconUser,
} from '@tabler/icons-react'
import { Suspense } from 'react'
import { Link, Outlet } from 'react-router'
import { canViewDashboard, signOut, useSession } from '../kit/session.tsx'
import icon from '../kit/ui/icon.svg'
import { LeaveGuard } from '../kit/ui/leave-form.tsx'
import { Reconnecting } from '../kit/ui/reconnecting.tsx'
import { useScheme } from '../kit/ui/scheme.ts'
import { notifyError } from '../kit/ui/toast.tsx'
import { useAlertToasts } from './live/alerts.ts'
import { MainMenu } from './main-menu.tsx'
import { useInboxWatch } from './messages/watch.ts'
import { OnlyPhone } from './only-phone.tsx'
import { CommandPalette } from './palette/command-palette.tsx'
import { SearchButton, usePalette } from './palette/open.tsx'
import classes from './shell.module.css'

/** Users without a dashboard role are sent to the phone app. */
export function Shell() {
  return canViewDashboard(useSession()) ? <Frame /> : <OnlyPhone />
}

/** Header, main menu and page. */
function Frame() {
  const session = useSession()
  useInboxWatch()
  useAlertToasts()
  const [isOpen, { toggle, close }] = useDisclosure()
  const palette = usePalette()
  return (
    <AppShell
      className={classes.shell}
      header={{ height: 56 }}
      navbar={{ width: 260, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding={{ base: 'md', sm: 'lg' }}
    >
      <a href="#page" className={classes.skip}>
        Skip to main content
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap" miw={0}>
            <Burger
              opened={isOpen}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label="Menu"
              aria-expanded={isOpen}
            />
            <Link to="/dashboard" className={classes.brand}>
              <img src={icon} alt="" width={26} height={26} />
              <Text fw={700}>Hookswitch</Text>
            </Link>
            <Text c="dimmed" size="sm" visibleFrom="xs" truncate>
              {session.company.name}
            </Text>
            {session.mode === 'sandbox' && (
              <Badge variant="light" color="yellow" visibleFrom="xs" flex="none">
                Sandbox
              </Badge>
            )}
          </Group>
          <Group gap="xs" wrap="nowrap" flex="none">
            <SearchButton open={palette.open} />
            <Account />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" component="nav" aria-label="Main">
        <AppShell.Section grow component={ScrollArea}>
          <MainMenu onOpen={close} />
        </AppShell.Section>
      </AppShell.Navbar>
      <LeaveGuard />
      <CommandPalette opened={palette.isOpen} close={palette.close} />
      <AppShell.Main id="page" tabIndex={-1} className={classes.main}>
        <div className={classes.banner}>
          <Reconnecting>Data on this page may be out of date.</Reconnecting>
        </div>
        <Box maw={1440} mx="auto">
          <Suspense
            fallback={
              <Center mih={240}>
                <Loader role="status" aria-label="Loading" />
              </Center>
            }
          >
            <Outlet />
          </Suspense>
        </Box>
      </AppShell.Main>
    </AppShell>
  )
}

function Account() {
  const { user } = useSession()
  const { scheme, toggleScheme } = useScheme()
  const leave = (everywhere: boolean) => {
    signOut(everywhere).catch((error: unknown) => notifyError(error, 'Sign-out failed'))
  }
  const other = scheme === 'dark' ? 'Switch to light mode' : 'Switch to dark mode'
  return (
    <Group gap="xs" wrap="nowrap" flex="none">
      <Tooltip label={other}>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={other} onClick={toggleScheme}>
          {scheme === 'dark' ? <IconSun size={18} /> : <IconMoon size={18} />}
        </ActionIcon>
      </Tooltip>
      <Menu position="bottom-end" width={230}>
        <Menu.Target>
          <ActionIcon variant="transparent" size={36} radius="xl" aria-label={`Account menu for ${user.name}`}>
            <Avatar color="sea" size={34} radius="xl" alt="">
              <IconUser size={18} />
            </Avatar>
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>
            {user.name} · {user.roles.join(', ')}
            <br />
            {user.email}
          </Menu.Label>
          <Menu.Item component={Link} to={`/dashboard/users/${user.id}`} leftSection={<IconUser size={16} />}>
            My profile
          </Menu.Item>
          <Menu.Item component={Link} to="/dashboard/account" leftSection={<IconShieldLock size={16} />}>
            Account security
          </Menu.Item>
          <Menu.Item component="a" href="/phone" leftSection={<IconDeviceMobile size={16} />}>
            Phone app
          </Menu.Item>
          <Menu.Item component="a" href="/docs" leftSection={<IconBook size={16} />}>
            Documentation
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => leave(false)}>
            Sign out
          </Menu.Item>
          <Menu.Item onClick={() => leave(true)}>Sign out of all devices</Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </Group>
  )
}
