import type { TestApp } from '../kit/app.ts'

/** The metrics of an app as a scraper reads them. */
export async function scrape({ anonymous }: Pick<TestApp, 'anonymous'>) {
  const { text } = await anonymous('GET', '/metrics')
  return {
    text,
    /** Names from the `# TYPE` lines, whether or not there are values. */
    names: [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name),
    /** The value of a series, written as in the text: `name{label="value"}`. Undefined without one. */
    value(series: string): number | undefined {
      const line = text.split('\n').find((one) => one.startsWith(`${series} `))
      return line === undefined ? undefined : Number(line.slice(series.length + 1))
    },
  }
}
