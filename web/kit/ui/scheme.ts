import { useComputedColorScheme, useMantineColorScheme } from '@mantine/core'

/** Light or dark: as the system has it, until somebody chooses. */
export function useScheme() {
  const { setColorScheme } = useMantineColorScheme()
  const scheme = useComputedColorScheme('light')
  return { scheme, toggleScheme: () => setColorScheme(scheme === 'dark' ? 'light' : 'dark') }
}
