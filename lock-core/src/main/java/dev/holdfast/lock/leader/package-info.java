/** Leader election: one of several instances leads for as long as it lives ({@link dev.holdfast.lock.leader.LeaderElection}). */
@NullMarked
package dev.holdfast.lock.leader;

import org.jspecify.annotations.NullMarked;
