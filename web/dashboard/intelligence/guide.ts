import type { ResponseOf } from '../../kit/api.ts'

// Guides of conversation intelligence: topics, playbooks, summary templates and scorecards.

type Stored = ResponseOf<'/v1/intelligence/guides'>['guides'][number]
export type GuideKind = Stored['kind']
export type Parts = { [K in GuideKind]: NonNullable<Stored[K]> }

type Section = Parts['summary_template']['sections'][number]
export type SectionType = Section['type']
export type Extractor = NonNullable<Section['extractor']>
export type LanguageTag = Parts['playbook']['language']

export type Category = Parts['scorecard']['categories'][number]
export type ScorecardQuestion = Category['questions'][number]
/** Metrics that are measured instead of rated. */
export type Measure = NonNullable<ScorecardQuestion['measure']>

/** Request body: the part has the name of its kind. */
export type NewGuide = { name: string; active: boolean } & {
  [K in GuideKind]: { kind: K } & { [P in K]: Parts[P] }
}[GuideKind]
export type Guide = NewGuide & { id: number; created_at: string; updated_at: string }
export type GuideOf<K extends GuideKind> = Extract<Guide, { kind: K }>
export type NewGuideOf<K extends GuideKind> = Extract<NewGuide, { kind: K }>
