-- PostgreSQL, H2
create table holdfast_fence (lock_name varchar(512) primary key, token bigint not null);
