/** Accept and decline, dark enough for white text in both schemes. */
export const green = { color: '#1f7a38', autoContrast: false } as const
export const red = { color: '#c22f2f', autoContrast: false } as const
