import {
  alpha,
  CloseButton,
  type CSSVariablesResolver,
  createTheme,
  Drawer,
  type MantineColorsTuple,
  Modal,
  Notification,
} from '@mantine/core'

const sea: MantineColorsTuple = [
  '#e6f6f5',
  '#d2ebe9',
  '#a6d6d3',
  '#76c0bb',
  '#4faea8',
  '#36a39c',
  '#279d96',
  '#178983',
  '#0b7a75',
  '#006a65',
]

const dark: MantineColorsTuple = [
  '#d7dce2',
  '#b1b9c2',
  '#8f99a4',
  '#66717d',
  '#3b444f',
  '#2b333c',
  '#20272f',
  '#161b21',
  '#11151a',
  '#0c0f13',
]

/** The accessible name of the close button of dialogs, drawers and toasts. */
const closeLabel = { 'aria-label': 'Close' }

const dialogTitle = { fontWeight: 650, overflowWrap: 'anywhere' } as const

/** The theme of both apps, light and dark. */
export const theme = createTheme({
  primaryColor: 'sea',
  primaryShade: { light: 8, dark: 8 },
  colors: { sea, dark },
  defaultRadius: 'md',
  fontFamily: 'Inter, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  headings: { fontWeight: '650' },
  cursorType: 'pointer',
  autoContrast: true,
  // Black or white text, whichever has more contrast.
  luminanceThreshold: 0.183,
  components: {
    // The placeholder is not a menu item and confuses screen readers.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
    CloseButton: CloseButton.extend({ defaultProps: closeLabel }),
    // The default colour below a title has too little contrast.
    Notification: Notification.extend({ styles: { description: { color: 'var(--mantine-color-dimmed)' } } }),
    Modal: Modal.extend({ styles: { title: dialogTitle } }),
    Drawer: Drawer.extend({ styles: { title: dialogTitle } }),
  },
})

/** Text colours of the light variants, where the library's darkest shade has too little contrast. */
const textColors = {
  yellow: '#7a4b00',
  orange: '#8f3a00',
  lime: '#3c6300',
  green: '#1d6b2e',
  teal: '#04694d',
  cyan: '#0a5a69',
  blue: '#0f5aa8',
  red: '#b02020',
  gray: '#3d444b',
  pink: '#99174f',
}

/** Contrast of at least 4.5:1 in both schemes, which the library's greys do not reach. */
export const readable: CSSVariablesResolver = ({ colors }) => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#596069',
    '--mantine-color-placeholder': '#6a727b',
    '--mantine-color-error': '#c92a2a',
    // The selected place of the menu, under the pointer.
    '--mantine-color-sea-light-hover': '#c0e3e0',
    ...Object.fromEntries(
      Object.entries(textColors).map(([name, color]) => [`--mantine-color-${name}-light-color`, color]),
    ),
  },
  dark: {
    '--mantine-color-dimmed': '#a3acb6',
    '--mantine-color-placeholder': '#98a2ad',
    '--mantine-color-error': '#ff8787',
    ...Object.fromEntries(Object.entries(colors).flatMap(([name, shades]) => darkVariant(name, shades))),
  },
})

/** The light variant in the dark scheme: a translucent background and a pale text. */
const darkVariant = (name: string, shades: MantineColorsTuple): [string, string][] => {
  if (name === 'dark') return []
  return [
    [`--mantine-color-${name}-light`, alpha(shades[6], 0.16)],
    [`--mantine-color-${name}-light-hover`, alpha(shades[6], 0.24)],
    [`--mantine-color-${name}-light-color`, shades[2]],
  ]
}
