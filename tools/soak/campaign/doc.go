// Package campaign is the part of the soak that touches nothing: which steps a seed means ([Next]), how a run that
// failed is recorded ([Record]) and made shorter ([Shrink]), what slices add up to ([State]), how late a machine makes
// everybody ([Noise]), and the report of it all.
package campaign
